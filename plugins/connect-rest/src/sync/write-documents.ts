import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { messageOf, trySync, type CommandContext, type Result } from '@amodal/sdk'
import { applyChange, newChangeId, type FileChange } from '@amodal/plugin-repo-files/tokens'
import { applyEdits, modify } from 'jsonc-parser'
import { connectionPart, isAddress } from '../starter/connection-part.ts'
import { readSource } from '../starter/connection-starter.ts'
import type { Drift, DriftSource } from './drift.ts'

/**
 * Puts newer documents in the place of those in the folders, all or none.
 *
 * @param from the address that becomes `specUrl`, of a single connection
 * @returns the paths that were written; or what the system says
 */
export function writeDocuments(
  dir: string,
  drifts: readonly Drift[],
  from?: string,
): Result<readonly string[], string> {
  return trySync(() => {
    const files = drifts.flatMap((drift) => filesOf(drift)).concat(specChange(dir, drifts, from))
    return applied(dir, files)
  }, messageOf)
}

function filesOf({ pinned, served }: Drift): readonly FileChange[] {
  const isMoved = pinned !== undefined && pinned.path !== served.path
  return [
    {
      path: served.path,
      before: pinned !== undefined && !isMoved ? pinned.text : null,
      after: served.text,
    },
    // Of two documents only one would be read.
    ...(isMoved ? [{ path: pinned.path, before: pinned.text, after: null }] : []),
  ]
}

/** The address is what `amodal pkg sync` asks the next time. */
function specChange(
  dir: string,
  [drift]: readonly Drift[],
  from: string | undefined,
): readonly FileChange[] {
  if (!drift || from === undefined || !isAddress(from)) return []
  const path = `${drift.served.path.slice(0, drift.served.path.lastIndexOf('/'))}/spec.json`
  if (!existsSync(join(dir, path))) return []
  const before = readFileSync(join(dir, path), 'utf8')
  const edits = modify(before, ['specUrl'], from, {
    formattingOptions: { insertSpaces: true, tabSize: 2 },
  })
  const after = applyEdits(before, edits)
  return after === before ? [] : [{ path, before, after }]
}

function applied(dir: string, files: readonly FileChange[]): readonly string[] {
  const at = Date.now()
  if (files.length > 0)
    applyChange(dir, {
      id: newChangeId(at),
      session: 'sync',
      principal: 'command line',
      at,
      files,
    })
  return files.filter(({ after }) => after !== null).map(({ path }) => path)
}

/** Of `https://api.shop.example/openapi.json`: `shop`. */
export function connectionNameOf(from: string): string {
  const host = isAddress(from) ? (URL.parse(from)?.hostname ?? '') : ''
  const labels = host.split('.').filter((label) => !/^(?:www|api|\d+)$/.test(label))
  const word = labels.length > 1 ? labels.at(-2) : labels[0]
  const name = (word ?? '').toLowerCase().replaceAll(/[^a-z0-9_-]/g, '')
  return name === '' ? 'api' : name
}

/** Writes a connection that is not there yet, as `amodal add connection` does. */
export async function addConnection(
  name: string,
  from: string,
  source: DriftSource,
  { dir, fail, print, program = 'amodal', signal }: CommandContext,
): Promise<number> {
  const document = await readSource(from, source, signal)
  if (!document.ok) {
    fail(document.error)
    return 1
  }
  const part = connectionPart(name, document.value)
  const present = part.files.find(({ path }) => existsSync(join(dir, path)))
  if (present) {
    fail(`${present.path} exists already, and is of no HTTP connection. Nothing was written.`)
    return 1
  }
  const written = trySync(
    () =>
      applied(
        dir,
        part.files.map(({ path, text }) => ({ path, before: null, after: text })),
      ),
    messageOf,
  )
  if (!written.ok) {
    fail(`NOT_WRITABLE: ${written.error}`)
    return 1
  }
  for (const path of written.value) print(`✓ ${path}`)
  for (const step of part.next ?? []) print(`  ${step.replaceAll('`amodal ', `\`${program} `)}`)
  return 0
}
