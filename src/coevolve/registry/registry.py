"""Versions, where each stands, and the verdicts that moved them.

A version, a verdict or a move enters; each call is one transaction, so a reader sees the state before or
after it. Not protected against: calls around this module on the same tables, except that the database
itself refuses a second champion.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa

from coevolve.codec import content_hash, from_json, to_json
from coevolve.database import Database, open_database
from coevolve.database.tables import standings, verdicts, versions
from coevolve.errors import RegistryError
from coevolve.registry.moves import (
    champion_row,
    crown,
    crowning_row,
    known_row,
    move,
    version_row,
    write_history,
)
from coevolve.types import Decision, JsonObject, Standing, Verdict, Version

ALIAS = "champion"
_ID_DIGITS = 16


def make_version(
    *,
    base: str,
    harness: JsonObject,
    adapters: Mapping[str, str] | None = None,
    parent: str | None = None,
    pool: str | None = None,
    learner: str | None = None,
    notes: JsonObject | None = None,
) -> Version:
    """A version whose id is the hash of everything else in it: the same parts give the same id."""
    unnamed = Version(
        id="",
        base=base,
        adapters=dict(adapters or {}),
        harness=harness,
        parent=parent,
        pool=pool,
        learner=learner,
        notes=notes or {},
    )
    manifest = to_json(unnamed)
    manifest["id"] = _manifest_id(manifest)
    return from_json(Version, manifest)


def open_registry(url: str) -> Registry:
    """The registry in the database at a URL; where a store is open, use `Registry(store.database)`.

    Raises: StoreError: see `coevolve.database.open_database`.
    """
    return Registry(open_database(url))


class Registry:
    """Versions in a held database, which it shares with the store."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def add(self, version: Version, standing: Standing = Standing.CANDIDATE) -> None:
        """Enter a version. One that is known already is passed over and keeps its standing.

        Raises: RegistryError: the id is not the manifest's hash, the parent is unknown, or it is to be
            champion while another one is.
        """
        manifest = to_json(version)
        if version.id != _manifest_id(manifest):
            raise RegistryError(
                f"version {version.id} does not match its manifest ({_manifest_id(manifest)})",
                fix="build it by registry.make_version",
            )
        with self.database.write() as connection:
            if version_row(connection, version.id) is not None:
                return
            if version.parent is not None and version_row(connection, version.parent) is None:
                raise RegistryError(
                    f"version {version.id} names an unknown parent {version.parent}",
                    fix="add the parent first",
                )
            if standing is Standing.CHAMPION and (holder := champion_row(connection)) is not None:
                raise RegistryError(f"{holder.id} is champion", fix="add it as a candidate, then promote it")
            connection.execute(
                sa.insert(versions),
                {
                    "id": version.id,
                    "parent": version.parent,
                    "pool": version.pool,
                    "standing": str(standing),
                    "created_s": time.time(),
                    "manifest": manifest,
                },
            )
            write_history(connection, version.id, None, standing, why="added")

    def record(self, candidate_id: str, verdict: Verdict) -> Standing:
        """Keep a verdict and make its move: ACCEPT promotes, REJECT retires, UNDECIDED leaves.

        Verdict, move and the old champion's retirement are one transaction. A verdict that is recorded
        already is passed over, so a run that was killed after this may call it again.

        Returns: where the candidate stands afterwards.
        Raises: RegistryError: the verdict is on another candidate, an unknown version, against someone
            who is champion no longer, or asks for an illegal move.
        """
        if verdict.candidate != candidate_id:
            raise RegistryError(
                f"the verdict is on {verdict.candidate}, not on {candidate_id}", fix="record it for that one"
            )
        body = to_json(verdict)
        content = content_hash(body)
        with self.database.write() as connection:
            row = known_row(connection, candidate_id)
            seen = sa.select(verdicts.c.seq).where(
                verdicts.c.candidate == candidate_id, verdicts.c.content == content
            )
            if connection.execute(seen).first() is not None:
                return Standing(row.standing)
            connection.execute(
                sa.insert(verdicts),
                {
                    "candidate": candidate_id,
                    "champion": verdict.champion,
                    "decision": str(verdict.decision),
                    "created_s": time.time(),
                    "content": content,
                    "body": body,
                },
            )
            if verdict.decision is Decision.ACCEPT:
                crown(connection, candidate_id, verdict.champion, why=verdict.why)
            elif verdict.decision is Decision.REJECT and row.standing != Standing.RETIRED:
                if row.standing == Standing.CHAMPION:
                    raise RegistryError(
                        f"{candidate_id} is champion, a rejection cannot retire it", fix="use rollback"
                    )
                move(connection, candidate_id, Standing.RETIRED, why=verdict.why)
            return Standing(known_row(connection, candidate_id).standing)

    def promote(
        self, version_id: str, *, expected: str | None = ALIAS, why: str = "promoted by hand"
    ) -> None:
        """Make a version champion and retire the old one, if that is still the expected one.

        Args: expected: id of the champion to replace; None = there is none; "champion" = whoever it is
            at the moment of the call.
        Raises: RegistryError: someone else is champion by now, or an illegal move.
        """
        if expected == ALIAS:
            expected = self._champion_id()
        with self.database.write() as connection:
            crown(connection, version_id, expected, why=why)

    def move(self, version_id: str, standing: Standing, *, why: str = "") -> None:
        """Any other legal move: to shadow, to canary, out of service.

        Raises: RegistryError: unknown version, illegal move, or a move to champion (see `promote`).
        """
        if standing is Standing.CHAMPION:
            raise RegistryError("a champion is not made by move", fix="use promote or rollback")
        with self.database.write() as connection:
            move(connection, version_id, standing, why=why)

    def rollback(self, *, why: str = "rolled back") -> Version:
        """Retire the champion and bring back the one it replaced; again, and the one before that.

        Returns: the champion that came back.
        Raises: RegistryError: there is no champion, or none before it.
        """
        with self.database.write() as connection:
            current = champion_row(connection)
            if current is None:
                raise RegistryError("there is no champion to roll back", fix="use promote to make one")
            crowned = crowning_row(connection, current.id)
            below = crowned.below
            if below is None:
                raise RegistryError(
                    f"{current.id} is the first champion: none to go back to", fix="promote another version"
                )
            before = connection.execute(sa.select(standings).where(standings.c.seq == below)).one()
            move(connection, current.id, Standing.RETIRED, why=why)
            # Its own place in the line of champions, so that a second rollback goes further back.
            move(connection, before.version, Standing.CHAMPION, why=why, below=before.below)
            return _version(known_row(connection, before.version))

    def champion(self) -> Version | None:
        """Who is champion now."""
        with self.database.read() as connection:
            row = champion_row(connection)
        return _version(row) if row is not None else None

    def get(self, version_id: str) -> Version:
        """A version by its whole id. Raises: RegistryError: unknown."""
        with self.database.read() as connection:
            return _version(known_row(connection, version_id))

    def standing(self, version_id: str) -> Standing:
        """Where a version stands. Raises: RegistryError: unknown."""
        with self.database.read() as connection:
            return Standing(known_row(connection, version_id).standing)

    def versions(self) -> list[tuple[Version, Standing, float]]:
        """All versions, oldest first, with standing and time of entry (seconds since 1970, UTC)."""
        with self.database.read() as connection:
            rows = connection.execute(sa.select(versions).order_by(versions.c.seq)).all()
        return [(_version(row), Standing(row.standing), row.created_s) for row in rows]

    def lineage(self, version_id: str) -> list[Version]:
        """The version, its parent, and so on to the base. Raises: RegistryError: unknown."""
        line: list[Version] = []
        following: str | None = version_id
        with self.database.read() as connection:
            while following is not None:
                line.append(_version(known_row(connection, following)))
                following = line[-1].parent
        return line

    def verdicts(self, version_id: str) -> list[Verdict]:
        """Verdicts on a version as candidate, oldest first. Raises: RegistryError: unknown."""
        query = sa.select(verdicts.c.body).where(verdicts.c.candidate == version_id).order_by(verdicts.c.seq)
        with self.database.read() as connection:
            known_row(connection, version_id)
            return [from_json(Verdict, body) for body in connection.execute(query).scalars()]

    def history(
        self, version_id: str | None = None
    ) -> list[tuple[str, Standing | None, Standing, str, float]]:
        """Moves as (version, before, after, why, time), oldest first; of one version or of all."""
        query = sa.select(standings).order_by(standings.c.seq)
        if version_id is not None:
            query = query.where(standings.c.version == version_id)
        with self.database.read() as connection:
            rows = connection.execute(query).all()
        return [
            (r.version, Standing(r.before) if r.before else None, Standing(r.after), r.why, r.created_s)
            for r in rows
        ]

    def resolve(self, prefix: str) -> str:
        """The whole id for its beginning or for "champion".

        Raises: RegistryError: none or several begin so, or there is no champion.
        """
        if prefix == ALIAS:
            champion = self._champion_id()
            if champion is None:
                raise RegistryError("there is no champion yet", fix="promote a version")
            return champion
        query = sa.select(versions.c.id).where(versions.c.id.startswith(prefix, autoescape=True))
        with self.database.read() as connection:
            ids = list(connection.execute(query.order_by(versions.c.seq)).scalars())
        if len(ids) == 1:
            return str(ids[0])
        if ids:
            raise RegistryError(f"{prefix!r} begins {', '.join(ids[:5])}", fix="give more characters")
        raise RegistryError(f"no version begins with {prefix!r}", fix="`coevolve versions` lists them all")

    def close(self) -> None:
        """Give the database's files back, the store's too where it is shared. Idempotent."""
        self.database.close()

    def _champion_id(self) -> str | None:
        with self.database.read() as connection:
            row = champion_row(connection)
        return str(row.id) if row is not None else None


def _manifest_id(manifest: Mapping[str, Any]) -> str:
    return content_hash({key: value for key, value in manifest.items() if key != "id"})[:_ID_DIGITS]


def _version(row: sa.Row[Any]) -> Version:
    manifest = row.manifest
    if row.id != _manifest_id(manifest):
        raise RegistryError(f"the manifest of {row.id} was changed", fix="restore the database from a backup")
    return from_json(Version, manifest)
