"""Reads files and says which of them are no Python. Runs nothing of them."""

import ast
import json
import sys

problems = []
for file in sys.argv[1:]:
    try:
        with open(file, encoding="utf-8") as source:
            ast.parse(source.read(), file)
    except (SyntaxError, ValueError) as error:
        problems.append({"file": file, "message": str(getattr(error, "msg", error)), "line": getattr(error, "lineno", 1) or 1})
sys.stdout.write(json.dumps(problems))
