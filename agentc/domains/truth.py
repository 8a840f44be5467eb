"""tau2-bench's own solutions as traces, completed with the steps its lists leave out."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Any

from agentc.domains.domain import Domain, Environment, Needs, load
from agentc.domains.replay import replay
from agentc.trace.event import Event, Trace, call, message
from agentc.trace.json_text import dump_json
from agentc.trace.values import JSON, MISSING

__all__ = ["Fault", "faults", "ground_truth"]

CONFIRMATION = "Yes, please go ahead."
TRANSFER = "YOU ARE BEING TRANSFERRED TO A HUMAN AGENT. PLEASE HOLD ON."

# Which argument names what a call acts on, the projection that tells its owner, the look-up that shows it.
_ENTITY = {
    "retail": ("order_id", "order_owner", "get_order_details"),
    "airline": ("reservation_id", "reservation_owner", "get_reservation_details"),
}


@dataclass(frozen=True, slots=True)
class Fault:
    """A task whose own solution breaks the written policy, also when completed.

    Parameters
    ----------
    constraints : tuple of str
        The names of the constraints it breaks.
    reason : str
        What the solution does, and why the policy forbids it.
    """

    constraints: tuple[str, ...]
    reason: str


@cache
def faults(domain: str) -> Mapping[str, Fault]:
    """Return the tasks of a domain whose own solution breaks its policy, by the task's id.

    Examples
    --------
    >>> faults("airline")["9"].constraints
    ('cancel_unflown',)
    """
    table = json.loads(files("agentc.domains").joinpath("faults.json").read_text(encoding="utf-8"))
    return {task: Fault(tuple(f["constraints"]), f["reason"]) for task, f in table[load(domain).name].items()}


def ground_truth(domain: Domain | str, needed: Needs | None = None) -> list[Trace]:
    """Return the solution of each of the domain's tasks, completed, with outputs and state.

    Parameters
    ----------
    domain : Domain or str
    needed : callable, optional
        What to read before each event runs, as in `replay`.

    Returns
    -------
    list of Trace
        In the order of tau2's file. ``meta`` has the ``domain``, the ``task``'s id, and the ids of the events
        that were ``added``; the others have tau2's own ids.

    Notes
    -----
    tau2's lists say which calls must have been made, and leave out much of what leads to them. Added is what
    a conforming agent would have done, said and heard, and no more:

    * before everything else one message of the user: all that the task tells the user to say and to know;
    * in retail, then, a look-up of the user, by e-mail where the task says that its user knows it, else by
      name and zip code; in airline a look-up of the user before the first write;
    * before the first write to an order or reservation a look-up of it; before a certificate a look-up of
      the status of a flight of the user's that is delayed or cancelled;
    * before each write the agent's message with the call's details, and the user's "yes";
    * after a transfer the message that the policy prescribes.

    The database decides who the user is: whoever owns what the calls name. Every task has one such user or
    none, and then nothing is looked up.

    Examples
    --------
    >>> solution = ground_truth("retail")[36]
    >>> [(event.tool, event.id in solution.meta["added"]) for event in solution]
    [('user_message', True), ('find_user_id_by_name_zip', True), ('get_order_details', True),
     ('assistant_message', True), ('user_message', True), ('modify_pending_order_items', False)]
    """
    domain = load(domain) if isinstance(domain, str) else domain
    fresh = domain.environment()
    traces = (_complete(_Task(domain, fresh, task)) for task in domain.tasks)
    return [replay(trace, fresh, needed).trace for trace in traces]


def _complete(task: _Task) -> Trace:
    events = [e for i, listed in enumerate(task.listed) for e in (*task.before(i), listed, *task.after(i))]
    added = [f"added-{i + 1}" for i in range(len(events) - len(task.listed))]
    names = iter(added)
    named = tuple(e if e.id else replace(e, id=next(names)) for e in events)
    meta = {"domain": task.domain.name, "task": task.id, "added": added}
    return Trace(named, f"{task.domain.name} {task.id}", meta)


class _Task:
    """One task: the calls that tau2 lists for it, and what is missing around each."""

    def __init__(self, domain: Domain, fresh: Environment, raw: Mapping[str, Any]) -> None:
        self.domain, self.fresh, self.id = domain, fresh, raw["id"]
        actions = raw["evaluation_criteria"]["actions"] or ()
        self.listed: Sequence[Event] = [Event(a["name"], a["arguments"], id=a["action_id"]) for a in actions]
        said = raw["user_scenario"]["instructions"]
        self.known = said["known_info"] or ""
        self.said = "\n".join(filter(None, (self.known, said["reason_for_call"], said["task_instructions"])))
        self.key, self.owner, self.look = _ENTITY[domain.name]
        self.user = next((u for u in map(self._user, self.listed) if u is not MISSING), None)

    def before(self, i: int) -> Iterator[Event]:
        """Yield what a conforming agent does, says and hears just before the ith listed call."""
        if i == 0:
            yield message("user", self.said)
            yield from self._authentication()
        event, before = self.listed[i], self.listed[:i]
        if self._writes(event):
            yield from self._look_ups(event, before)
            yield message("assistant", f"{event.tool} {dump_json(event.args)}")
            yield message("user", CONFIRMATION)

    def after(self, i: int) -> Iterator[Event]:
        """Yield what a conforming agent says after the ith listed call."""
        if self.listed[i].tool == "transfer_to_human_agents":
            yield message("assistant", TRANSFER)

    def _authentication(self) -> Iterator[Event]:
        if self.domain.name != "retail" or not self.user or self.listed[0].tool.startswith("find_user_id"):
            return
        profile = self._seen("get_user_details", user_id=self.user)
        if profile["email"] in self.known:
            yield call("find_user_id_by_email", email=profile["email"])
        else:
            yield call("find_user_id_by_name_zip", **profile["name"], zip=profile["address"]["zip"])

    def _look_ups(self, event: Event, before: Sequence[Event]) -> Iterator[Event]:
        if self.domain.name == "airline" and not any(self._writes(e) for e in before):
            yield from self._unless(before, call("get_user_details", user_id=self.user))
        entity = event.args.get(self.key)
        if entity and not any(self._writes(e) and e.args.get(self.key) == entity for e in before):
            yield from self._unless(before, call(self.look, **{self.key: entity}))
        if event.tool == "send_certificate":
            yield from self._complaint()

    def _complaint(self) -> Iterator[Event]:
        """Yield the look-up of the first flight of the user's that is delayed or cancelled."""
        trips = [
            self._seen("get_reservation_details", reservation_id=r)
            for r in self._seen("get_user_details", user_id=self.user)["reservations"]
        ]
        for flight in (flight for trip in trips for flight in trip["flights"]):
            asked = {"flight_number": flight["flight_number"], "date": flight["date"]}
            if self._seen("get_flight_status", **asked) in ("cancelled", "delayed"):
                yield call("get_flight_status", **asked)
                return

    def _seen(self, tool: str, **args: JSON) -> Any:
        output, _ = self.fresh.copy().execute(tool, args)
        return output

    def _unless(self, before: Sequence[Event], look: Event) -> Iterator[Event]:
        if not any(e.tool == look.tool and e.args == look.args for e in before):
            yield look

    def _writes(self, event: Event) -> bool:
        return self.domain.tools[event.tool].kind == "write"

    def _user(self, event: Event) -> Any:
        owner = self.fresh.read(self.owner, event.args.get(self.key, MISSING))
        return event.args.get("user_id", owner)
