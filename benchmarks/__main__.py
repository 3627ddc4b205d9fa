"""The studies of this folder: ``python -m benchmarks`` lists them, ``python -m benchmarks STUDY`` runs one."""

import ast
import runpy
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
RUNS = 'if __name__ == "__main__":'


def find_studies(folder: Path = HERE) -> dict[str, str]:
    """Return what can be run in a folder, and the first line of what each says of itself."""
    studies = {}
    for path in sorted(folder.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if path != folder / "__main__.py" and f"\n{RUNS}" in text:
            name = ".".join(path.relative_to(folder).with_suffix("").parts).removesuffix(".__main__")
            studies[name] = (ast.get_docstring(ast.parse(text)) or "").partition("\n")[0]
    return studies


def list_studies(studies: dict[str, str]) -> str:
    """Return one line per study."""
    width = max(map(len, studies))
    lines = [f"  {name:<{width}}  {about}" for name, about in studies.items()]
    return "\n".join(["python -m benchmarks STUDY [options]; each STUDY has --help and --smoke.", "", *lines])


def main(given: list[str]) -> None:
    """List the studies, or run the one that is named first with the options that follow."""
    studies = find_studies()
    if not given or given[0] in ("-h", "--help"):
        print(list_studies(studies))
        return
    name, *options = given
    if name not in studies:
        raise SystemExit(f"There is no study {name!r}. There are: {', '.join(studies)}.")
    sys.argv[1:] = options
    runpy.run_module(f"benchmarks.{name}", run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main(sys.argv[1:])
