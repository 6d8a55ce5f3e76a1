import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  err,
  messageOf,
  ok,
  tryAsync,
  type Agent,
  type Failure,
  type Json,
  type Result,
} from '@amodal/sdk'
import { changedFolder } from '@amodal/plugin-evals/tokens'
import { applyEdits, modify } from 'jsonc-parser'
import { BASE, type Experiment, type Variant } from '../definition.ts'
import { ExperimentNotPromotable } from '../errors.ts'
import { applyTexts, canWrite, undoTexts } from './apply-texts.ts'
import { baseVariant } from './base-variant.ts'

export interface WrittenFiles {
  readonly where: 'files' | 'server'
  readonly files: readonly string[]
  readonly notes: readonly string[]
}

interface Promoting {
  readonly agent: Agent
  /** The agent folder. */
  readonly root: string
  readonly experiment: Experiment
  readonly variant: Variant
  readonly principal: string
  /** ms since the epoch. */
  readonly now: () => number
}

const LAYOUT = { formattingOptions: { tabSize: 2, insertSpaces: true } } as const

/**
 * Makes a variant the content of the agent's files, and ends the experiment in its file: all of it
 * or nothing. The agent uses the files from then on.
 *
 * @returns `where: 'server'` where the folder cannot be written
 */
export async function writeVariant(
  promoting: Promoting,
  signal: AbortSignal,
): Promise<Result<WrittenFiles, Failure>> {
  const { agent, experiment, now, principal, root, variant } = promoting
  if (variant.commit !== undefined)
    return err(
      ExperimentNotPromotable(
        `the variant "${variant.name}" is the commit ${variant.commit}: check it out, then stop the experiment`,
      ),
    )
  if (!(await canWrite(root)))
    return ok({
      where: 'server',
      files: [],
      notes: ['The folder of the agent cannot be written: its files are as before.'],
    })
  const texts = await textsOf(promoting, signal)
  if (!texts.ok) return texts
  const applied = await applyTexts({ root, texts: texts.value, principal, at: now() }, signal)
  if (!applied.ok) return applied
  const loaded = await agent.reloadBundle(signal)
  if (loaded.ok && loaded.value.held === undefined)
    return ok({
      where: 'files',
      files: [...texts.value.keys()],
      notes: experiment.control === BASE ? [] : [`The control was "${experiment.control}".`],
    })
  const undone = await undoTexts(root, applied.value, now())
  await agent.reloadBundle(signal)
  const reason = loaded.ok ? 'an edit of them is broken' : loaded.error.message
  return err(
    ExperimentNotPromotable(
      undone.ok
        ? `nothing was changed: the agent does not load with it: ${reason}`
        : `the agent does not load with it: ${reason}; the files cannot be written back: ${undone.error}`,
    ),
  )
}

/** What has to be written, the experiment last: until then it can be promoted once more. */
async function textsOf(
  { agent, experiment, root, variant }: Promoting,
  signal: AbortSignal,
): Promise<Result<ReadonlyMap<string, string>, Failure>> {
  const changed = await changedTexts(root, variant, signal)
  if (!changed.ok) return changed
  const bundle = agent.bundle()
  const isNew = !experiment.variants.some(
    ({ name, changes }) => name === BASE && changes.length > 0,
  )
  const base =
    bundle && isNew && variant.changes.length > 0
      ? await baseVariant(root, bundle, experiment, variant)
      : undefined
  const text = await tryAsync(
    () => readFile(join(root, experiment.file), 'utf8'),
    (cause) => ExperimentNotPromotable(`${experiment.file} cannot be read: ${messageOf(cause)}`),
  )
  if (!text.ok) return text
  const edits: [path: string[], value: Json][] = [
    [['status'], 'stopped'],
    [['promoted'], variant.name],
  ]
  if (base) edits.unshift([['variants', BASE], base.written])
  const ended = edits.reduce(
    (current, [path, value]) => applyEdits(current, modify(current, path, value, LAYOUT)),
    text.value,
  )
  return ok(new Map([...(base?.files ?? []), ...changed.value, [experiment.file, ended]]))
}

/** The files that the variant changes, as they are with it. */
async function changedTexts(
  root: string,
  { changes }: Variant,
  signal: AbortSignal,
): Promise<Result<ReadonlyMap<string, string>, Failure>> {
  if (changes.length === 0) return ok(new Map())
  const copy = await changedFolder(root, changes, signal)
  if (!copy.ok) return copy
  const { dir, files } = copy.value
  try {
    const texts = new Map<string, string>()
    for (const path of files) texts.set(path, await readFile(join(dir, path), 'utf8'))
    return ok(texts)
  } catch (cause) {
    return err(ExperimentNotPromotable(`the changed files cannot be read: ${messageOf(cause)}`))
  } finally {
    await copy.value.remove()
  }
}
