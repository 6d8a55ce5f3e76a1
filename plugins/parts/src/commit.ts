import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  err,
  failure,
  isObject,
  messageOf,
  ok,
  tryAsync,
  trySync,
  type Failure,
  type Json,
  type Result,
} from '@amodal/sdk'
import { LOCK_FILE, lockText } from '@amodal/sdk/packages'
import { applyChange, newChangeId } from '@amodal/plugin-repo-files/tokens'
import { PartsNotLocked } from './errors.ts'
import type { FetchedPackage } from './fetch-package.ts'
import { MANIFEST, type AgentPackages, type LockedPackage } from './locked.ts'
import { storePackage, sweepStore } from './package-store.ts'

/** Packages to install, with the text of amodal.json that names them. */
export interface Target {
  readonly manifestText: string
  readonly packages: ReadonlyMap<string, FetchedPackage>
}

/**
 * Installs packages: their files first, each package in one step, then amodal.json and amodal.lock
 * as one change. A process that is killed at any moment leaves the agent as it was before, or with
 * all of it: what was begun is finished by the next one that reads the folder.
 *
 * @returns `PARTS_NOT_LOCKED` where somebody else changed the files meanwhile
 */
export async function commitPackages(
  agent: AgentPackages,
  target: Target,
  signal: AbortSignal,
): Promise<Result<void, Failure>> {
  const { root } = agent
  const entries = new Map([...target.packages].map(([name, { locked }]) => [name, locked]))
  const stored = await tryAsync(async () => {
    for (const [name, { locked, contents }] of target.packages)
      if (locked.link !== true) await storePackage(root, name, locked, contents, signal)
  }, messageOf)
  if (!stored.ok) return err(failure('NOT_WRITABLE', `${root}: ${stored.error}`))
  const lock = { ...agent.lock, packages: jsonEntries(entries) }
  const text = lockText(lock)
  if (await isChanged(agent))
    return err(PartsNotLocked(`${MANIFEST} or ${LOCK_FILE} changed meanwhile; nothing was written`))
  const at = Date.now()
  const files = [
    { path: MANIFEST, before: agent.manifestText, after: target.manifestText },
    { path: LOCK_FILE, before: agent.lockText, after: text },
  ].filter(({ before, after }) => before !== after)
  if (files.length > 0) {
    const id = newChangeId(at)
    const applied = trySync(
      () => applyChange(root, { id, session: 'pkg', principal: 'command line', at, files }),
      messageOf,
    )
    if (!applied.ok) return err(failure('NOT_WRITABLE', `${root}: ${applied.error}`))
  }
  // What stays over takes room and nothing else: the next command removes it.
  await tryAsync(() => sweepStore(root, entries), messageOf)
  return ok(undefined)
}

function jsonEntries(entries: ReadonlyMap<string, LockedPackage>): Readonly<Record<string, Json>> {
  const plain: unknown = JSON.parse(JSON.stringify(Object.fromEntries(entries)))
  return isObject(plain as Json) ? (plain as Record<string, Json>) : {} // JSON of an object
}

async function isChanged({ root, manifestText, lockText: lock }: AgentPackages): Promise<boolean> {
  const textOf = (file: string): Promise<string | null> =>
    readFile(join(root, file), 'utf8').catch(() => null)
  return (await textOf(MANIFEST)) !== manifestText || (await textOf(LOCK_FILE)) !== lock
}
