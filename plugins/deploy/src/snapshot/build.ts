import { err, ok, type AgentBundle, type Failure, type Generation, type Result } from '@amodal/sdk'
import { errorsIn, issueLine } from '@amodal/sdk/files'
import { LOCK_FILE } from '@amodal/sdk/packages'
import { scanForSecrets, type Contents } from '@amodal/plugin-parts/tokens'
import type { FolderCheck } from '@amodal/plugin-repo-files/tokens'
import { SnapshotHoldsSecret, SnapshotRefused } from '../errors.ts'
import { collectFiles } from './collect.ts'
import { FORMAT, filesOf, idOf, sha256Of, type Snapshot } from './format.ts'
import { promptHash } from './prompt-hash.ts'

interface Builder {
  readonly folders: FolderCheck
  /** Files and folders of an agent folder that are read. */
  readonly places: readonly string[]
  readonly generation: Generation
  /** The release. */
  readonly runtime: string
  readonly signal: AbortSignal
}

/**
 * Makes a snapshot of an agent folder that passes `amodal validate` and holds no secrets.
 *
 * @returns `SNAPSHOT_REFUSED` or `SNAPSHOT_HOLDS_SECRET` where it does not
 */
export async function buildSnapshot(
  dir: string,
  { folders, places, generation, runtime, signal }: Builder,
): Promise<Result<Snapshot, Failure>> {
  const bundle = await checkedBundle(dir, folders, signal)
  if (!bundle.ok) return bundle
  const collected = await collectFiles(dir, places, signal)
  if (!collected.ok) return collected
  const contents = collected.value
  if (!contents.some(({ path }) => path === 'amodal.json'))
    return err(SnapshotRefused('it has no amodal.json; move an older .amodal/config.json there'))
  const secrets = scanForSecrets(contents)
  if (secrets.length > 0)
    return err(
      SnapshotHoldsSecret(
        secrets.map(({ file, line, what }) => `${file}:${line} looks like ${what}`).join('\n'),
      ),
    )
  const { hash, complete } = bundle.value
  const files = filesOf(contents)
  const prompt = promptHash(generation, complete)
  return ok({
    contents,
    manifest: {
      format: FORMAT,
      id: idOf(files),
      agent: { name: complete.manifest.name, version: complete.manifest.version },
      files: [...files],
      bundle: hash,
      lock: lockHash(contents),
      prompts: prompt === undefined ? {} : { main: prompt },
      runtime,
    },
  })
}

interface Checked {
  readonly hash: string
  readonly complete: AgentBundle
}

async function checkedBundle(
  dir: string,
  folders: FolderCheck,
  signal: AbortSignal,
): Promise<Result<Checked, Failure>> {
  const read = await folders.read(dir, signal)
  if (!read.ok) return err(refusal(dir, read.error.issues?.map(issueLine) ?? [read.error.message]))
  const complete = await folders.complete(read.value)
  const errors = errorsIn(complete.issues)
  return errors.length > 0
    ? err(refusal(dir, errors.map(issueLine)))
    : ok({ hash: read.value.hash, complete })
}

const refusal = (dir: string, lines: readonly string[]): Failure =>
  SnapshotRefused(
    `${dir} does not pass \`amodal validate\`:\n${lines.map((line) => `  ${line}`).join('\n')}`,
  )

function lockHash(contents: Contents): string | null {
  const lock = contents.find(({ path }) => path === LOCK_FILE)
  return lock ? sha256Of(lock.bytes) : null
}
