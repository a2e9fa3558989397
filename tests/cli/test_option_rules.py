"""Rules on combinations of options, for all commands, as users meet them."""

from __future__ import annotations

from pathlib import Path

import click
import pytest

import spanagree as sa
from spanagree.cli import option_rules, options
from spanagree.cli.group import spanagree
from spanagree.cli.main import main
from spanagree.cli.signatures import collect_parameter_names, read_parameters

COMMANDS = {
    name: [member for member in command.params if isinstance(member, option_rules.Option)]
    for name, command in spanagree.commands.items()
}
CLAUSES = [
    (name, member, clause)
    for name, members in COMMANDS.items()
    for member in members
    for clause in member.rules
]
FORMS = [(name, form) for name in COMMANDS for form in spanagree.commands[name].alternatives]
STANDS_FOR = {
    "patterns": ["part-*.conll"],
    "files": [],
    "result": ["x.json"],
    "slices": ["--by", "genre"],
}
"""What is given where a term names no option."""


def parts(term):
    """The option of a term, whether its values are meant or others, and these."""
    name, _, values = term.partition("=")
    return name.removesuffix("!"), not name.endswith("!"), values.split("|") if values else []


def option(members, name):
    return next((member for member in members if member.name == name), None)


def value_of(member):
    """A value that an option takes, whatever it does."""
    allowed = getattr(member.type, "choices", None) or getattr(member.type, "views", None)
    if allowed:
        return next(iter(allowed))
    metavar = member.metavar or ""
    numbers = {"N": "2", "X": "0.5", "X,...": "0.5", "Q,...": "0.5"}
    return numbers.get(metavar, "a=b" if "=" in metavar and "|" not in metavar else "x")


def words(members, term):
    """The words of a command line by which a term holds."""
    name, among, values = parts(term)
    if name == "slices":
        return ["--by", values[0] if values else "genre"]
    if name in STANDS_FOR:
        return STANDS_FOR[name]
    member = option(members, name)
    if member.is_flag:
        return member.opts[-1:]
    value = values[0] if values and among else value_of(member)
    if values and not among:
        value = next(choice for choice in member.type.choices if choice not in values)
    return [member.opts[-1], *[value] * member.nargs]


def line_of(name, *terms):
    """A command line with what a command requires, and these terms; its files are nowhere."""
    members = COMMANDS[name]
    required = [m.name for m in members if m.required]
    given = [parts(term)[0] for term in terms]
    files = [] if name in ("cite", "chance") or "patterns" in given else ["nowhere.jsonl"]
    rest = [word for x in required if x not in given for word in words(members, x)]
    return [name, *files, *rest, *(word for term in terms for word in words(members, term))]


def there(name, terms):
    return [term for term in terms.split() if option_rules.accepts_term(term, COMMANDS[name])]


def refusal(line, capsys):
    """What is said of a line that is refused before any file is looked for."""
    assert main(line) == 2, line
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1), line
    begin, end = "spanagree: error: ", f"; see 'spanagree {line[0]} --help'\n"
    assert (err[: len(begin)], err[-len(end) :]) == (begin, end)
    return err.removeprefix(begin).removesuffix(end)


@pytest.mark.parametrize(
    ("name", "member", "clause"), CLAUSES, ids=lambda x: getattr(x, "name", None) or str(x)
)
def test_clauses(name, member, clause, capsys):
    """Terms name options and values that there are; what is excluded, or lacks, is refused early.

    No file is there, so that one which is looked for first would be missed instead.
    """
    assert bool(clause.needs) is not bool(clause.excludes)
    term = clause.term or member.name
    assert parts(term)[0] in (member.name, "slices")
    every = " ".join((term, clause.needs, clause.excludes, clause.unless)).split()
    for other in every:
        known, _, values = parts(other)
        offered = [m for members in COMMANDS.values() if (m := option(members, known))]
        assert offered or known in STANDS_FOR
        if isinstance(offered[0].type if offered else None, (click.Choice, options.Views)):
            choices = {c for m in offered for c in getattr(m.type, "choices", m.type.__dict__.get("views", ()))}  # fmt: skip
            assert set(values) <= choices, other
    if clause.needs and there(name, clause.needs):
        said = refusal(line_of(name, term), capsys)
        assert " needs " in said
        assert {member.opts[0], "--by"} & set(said.split())
    for other in there(name, clause.excludes):
        if parts(other)[0] == parts(term)[0] or {"by", "slices"} == {parts(other)[0], parts(term)[0]}:  # fmt: skip
            continue  # an option is given once
        said = refusal(line_of(name, term, other), capsys)
        assert said.startswith("--")
        assert " needs " in said or " does not go with " in said


@pytest.mark.parametrize(("name", "form"), FORMS, ids=str)
def test_forms(name, form, capsys):
    """Options that the function of a form does not take are refused; what it also regards is there."""
    members = COMMANDS[name]
    for term in [*form.terms.split(), *form.command_options.split()]:
        assert option_rules.accepts_term(term, members)
    for function in form.function.split():
        assert read_parameters(function)
    refused = []
    for term in form.terms.split():
        given = {parts(term)[0]: True}
        for member in members:
            is_by = {"by", "slices"} >= {member.name, *given}
            if (
                member.name not in given
                and not is_by
                and [*form.yield_unused_options({**given, member.name: True}, members)]
            ):
                said = refusal(line_of(name, term, member.name), capsys)
                assert " needs " in said or " does not go with " in said
                refused.append(member.name)
    assert refused
    assert not collect_parameter_names(form.function) & set(refused) - {
        "pairs"
    }  # of relations; γ's is another


CROWD = sa.read(Path(__file__).parents[2] / "corpora" / "crowd" / "crowd.jsonl")
MARKED = [[(0, 2, "X"), (4, 6, "Y")]]
RELATIONS = sa.Corpus.from_segments(
    [9], {"a": MARKED, "b": MARKED}, relations={name: [[(0, 1, "r")]] for name in "ab"}
)
STRINGS = sa.read([{"id": "1", "gold": {"X": ["Jo"]}, "model": {"X": ["Al"]}}], strings=True)
LABELS = sa.LabelTable.from_rows([(str(i), who, "x") for i in range(40) for who in "abc"])
OVER, CLUSTERED = sa.Jackknife(over="annotators"), sa.Jackknife(cluster_by="document")
IN_PYTHON = {
    "evaluate --runs a=b,c --test bootstrap": lambda path: sa.compare_systems(sa.evaluate(CROWD), runs={"a": ["bob"]}, test="bootstrap"),
    "evaluate --runs a=b,c --test permutation": lambda path: sa.compare_systems(sa.evaluate(CROWD), runs={"a": ["bob"]}, test="permutation"),
    "evaluate --by seen": lambda path: sa.slices.score_slices(sa.evaluate(CROWD), "seen"),
    "evaluate --seen x --by label": lambda path: sa.slices.score_slices(sa.evaluate(CROWD), "length", seen=CROWD),
    "evaluate --by error --what relations": lambda path: sa.systems.error_types(sa.evaluate(RELATIONS, what="relations")),
    "evaluate --by strategy --what relations": lambda path: sa.systems.strategy_scores(sa.evaluate(RELATIONS, what="relations")),
    "evaluate --systems bob --gold ann": lambda path: sa.evaluate_references(CROWD, systems=["bob"], gold="ann"),
    "evaluate --systems bob --beta 2": lambda path: sa.evaluate_references(CROWD, systems=["bob"], beta=2),
    "report -o r.html --beta 2 --team": lambda path: sa.write_report(CROWD, path, beta=2, team=True),
    "report -o r.html --beta 2 --systems bob": lambda path: sa.write_report(CROWD, path, beta=2, systems=["bob"]),
    "report -o r.html --gold ann --team": lambda path: sa.write_report(CROWD, path, gold="ann", team=True),
    "report -o r.html --gold ann --systems bob": lambda path: sa.write_report(CROWD, path, gold="ann", systems=["bob"]),
    "report -o r.html --team --systems bob": lambda path: sa.write_report(CROWD, path, team=True, systems=["bob"]),
    "agree --measure gamma --ci --cluster-by document": lambda path: sa.gamma(CROWD, ci=CLUSTERED),
    "agree --measure alpha-u --ci --cluster-by document": lambda path: sa.alpha_u(CROWD, ci=CLUSTERED),
    "agree --measure gamma --ci --over annotators": lambda path: sa.gamma(CROWD, ci=OVER),
    "agree --measure alpha-u --ci --over annotators": lambda path: sa.alpha_u(CROWD, ci=OVER),
    "agree --measure documents --ci --over annotators": lambda path: sa.project.document_agreement(CROWD, ci=OVER),
    "agree --by genre --ci --over annotators": lambda path: sa.slices.score_slices(sa.agree(CROWD), "length", ci=OVER),
    "agree --measure all --ci": lambda path: sa.units.compare_measures(CROWD, ci=True),
    "agree --measure gamma --match token": lambda path: sa.gamma(CROWD, match="token"),
    "agree --measure gamma --strings": lambda path: sa.gamma(STRINGS),
    "agree --measure alpha-u --strings": lambda path: sa.alpha_u(STRINGS),
    "disagreements --what relations --kind label": lambda path: sa.agreement.relation_disagreements(RELATIONS, "a", "b", kinds=["label"]),
    "alt-test --candidate a --epsilon 0.1 --table --match token": lambda path: sa.alt_test(LABELS, "a", 0.1, match="token"),
    "alt-test --candidate a --epsilon 0.1 --table --chance overlapping": lambda path: sa.alt_test(LABELS, "a", 0.1, chance="overlapping"),
    "alt-test --candidate ann --epsilon 0.1 --score neg-rmse": lambda path: sa.alt_test(CROWD, "ann", 0.1, score="neg-rmse"),
    "coefficients --by label": lambda path: sa.labels.coefficients_by_label(LABELS),
    "coefficients --skip-outside": lambda path: sa.coefficients(LABELS, skip_outside=True),
}  # fmt: skip
"""What is refused on a command line whose options are arguments in Python, and the same there."""


@pytest.mark.parametrize("line", IN_PYTHON)
def test_python_refuses_too(line, capsys, tmp_path):
    """What is refused on the command line, before a file is looked for, a function refuses too."""
    name, *more = line.split()
    assert refusal([name, "nowhere.jsonl", *more], capsys).startswith("--")
    path = tmp_path / "r.html"
    with pytest.raises((sa.SpanAgreeError, TypeError)) as error:
        IN_PYTHON[line](path)
    assert "\n" not in str(error.value)
    assert not path.exists()


def test_what_is_said(capsys):
    """Which option, which other, and why; a term that holds for several values names the given."""
    line = ["evaluate", "nowhere.jsonl", "--systems", "a"]
    for more, said in (
        (["--gold", "x"], "--gold does not go with --systems: --systems and --references compare with many annotators, not with one gold"),
        (["--by", "document"], "--by document does not go with --systems: --systems and --references compare with many annotators, not with one gold"),
        (["--by", "genre"], "--by genre does not go with --systems: --systems and --references compare with many annotators, not with one gold"),
        (["--workers", "2"], "--workers needs files found by a pattern: each file is read and compared by itself"),
        (["--digits", "2", "--format", "csv"], "--digits does not go with --format csv: it has the exact figures"),
    ):  # fmt: skip
        assert refusal([*line, *more], capsys) == said


def test_terms_of_other_commands(capsys):
    """What a command lacks is not named as what an option needs."""
    said = refusal(["gold", "nowhere.jsonl", "--group-by", "x"], capsys)
    assert said.startswith("--group-by needs --unit document: ")
    said = refusal(["agree", "nowhere.jsonl", "--group-by", "x"], capsys)
    assert said.startswith("--group-by needs --cluster-by document or --unit document: ")
