"""`fenwire bulk export`: a store as a file for other programs."""

from __future__ import annotations

import click


@click.command("export")
@click.argument("store", metavar="R", type=click.Path(dir_okay=False))
@click.argument("path", metavar="F.jsonl|.csv|.parquet", type=click.Path(dir_okay=False))
@click.option("--search", type=int, metavar="N", help="Only this search (see `fenwire bulk show R`).")
def command(store: str, path: str, search: int | None) -> None:
    """Write results to a file: JSON lines in the shape of the Lichess evaluations database, CSV, Parquet.

    The JSON lines hold positions with a score, each with the evaluations of all searches; the tables hold a
    row for each result. A file that is there is replaced, once the new one is whole.
    """
    from adapter.bulk.archive import Archive
    from adapter.bulk.export import export
    from adapter.cli.bulk_wording import counted

    with Archive(store) as archive:
        if search is not None:
            archive.search(search)
        exported = export(archive, path, search)
    told = f"{path}: {counted(exported.written, 'line')}"
    if exported.left_out:
        told += f"; {counted(exported.left_out, 'position')} without a score left out"
    click.echo(told)
