import { readFile, stat } from 'node:fs/promises'
import { basename, dirname, relative, resolve } from 'node:path'
import {
  err,
  isObject,
  messageOf,
  ok,
  tryAsync,
  type Failure,
  type JsonObject,
  type Result,
} from '@amodal/sdk'
import { parseJson } from '@amodal/sdk/files'
import { ChangeInvalid } from '../errors.ts'
import { CHANGE_KINDS, type Change, type ChangeKind } from './change.ts'

/** As large as a file of an agent may be. */
const MOST_BYTES = 1_048_576
const COMMIT = /^[\w][\w./~^@{}-]*$/

/** Where the files of changes are looked for. */
export interface ChangeFiles {
  /** The agent folder: the second place, behind the working directory. */
  readonly dir: string
  readonly signal: AbortSignal
}

/**
 * Reads a change as it is written on the command line, and the file that it names.
 *
 * @param text such as `skill=drafts/refunds.md`, `model=openai/gpt-5.2` or `commit=4f1c2d3`
 * @returns the change with the content of its file; `EVAL_CHANGE_INVALID`, which says what can be
 *   written, or which file cannot be read
 *
 * @example
 * const change = await parseChange('skill=drafts/refunds.md', { dir: 'my-agent', signal })
 * if (change.ok) await changedFolder('my-agent', [change.value], signal)
 */
export async function parseChange(
  text: string,
  files: ChangeFiles,
): Promise<Result<Change, Failure>> {
  const [, kind, value] = /^([a-z]+)=(.+)$/s.exec(text.trim()) ?? []
  if (kind === undefined || value === undefined || !isKind(kind))
    return err(ChangeInvalid(`"${text}" is no change: write one of ${FORMS}`))
  switch (kind) {
    case 'model':
      return ok({ kind, model: value })
    case 'commit':
      return COMMIT.test(value)
        ? ok({ kind, commit: value })
        : err(ChangeInvalid(`commit=${value}: this is no name of a commit`))
    case 'settings':
      return settingsIn(value, files)
    case 'skill':
    case 'prompt':
    case 'knowledge':
      return documentIn(kind, value, files)
    default:
      return kind satisfies never
  }
}

const FORMS = Object.entries(CHANGE_KINDS)
  .map(([kind, value]) => `${kind}=${value}`)
  .join(', ')

const isKind = (text: string): text is ChangeKind => Object.hasOwn(CHANGE_KINDS, text)

async function documentIn(
  kind: 'skill' | 'prompt' | 'knowledge',
  value: string,
  files: ChangeFiles,
): Promise<Result<Change, Failure>> {
  const read = await readText(kind, value, files)
  if (!read.ok) return read
  const { content, path } = read.value
  if (content.trim() === '') return err(ChangeInvalid(`${kind}=${value}: the file is empty`))
  const text = { content, source: value }
  switch (kind) {
    case 'prompt':
      return ok({ kind, ...text })
    case 'skill':
      return ok({ kind, name: skillNameOf(path), ...text })
    case 'knowledge':
      return ok({ kind, name: knowledgeNameOf(path, files.dir), ...text })
    default:
      return kind satisfies never
  }
}

/** `refunds` of `refunds/SKILL.md` and of `refunds.md`. */
const skillNameOf = (path: string): string =>
  /^skill\.md$/i.test(basename(path)) ? basename(dirname(path)) : basename(path, '.md')

/** The path below `knowledge/`, where it stands in a folder of that name. */
function knowledgeNameOf(path: string, dir: string): string {
  const below = relative(resolve(dir, 'knowledge'), path)
  const own = below.startsWith('..') ? /[\\/]knowledge[\\/](.+)$/.exec(path)?.[1] : below
  return (own ?? basename(path)).replaceAll('\\', '/').replace(/\.md$/i, '')
}

async function settingsIn(value: string, files: ChangeFiles): Promise<Result<Change, Failure>> {
  const read = await readText('settings', value, files)
  if (!read.ok) return read
  const json = parseJson(read.value.content)
  if (!json.ok) {
    const [{ column, line, message, fix }] = json.error
    return err(ChangeInvalid(`settings=${value}:${line}:${column}: ${message}; ${fix}`))
  }
  const settings = json.value.value
  return isObject(settings)
    ? ok({ kind: 'settings', settings: settings satisfies JsonObject, source: value })
    : err(
        ChangeInvalid(`settings=${value}: an object with fields of amodal.json is expected, { … }`),
      )
}

interface FileText {
  readonly content: string
  /** Absolute. */
  readonly path: string
}

/** A file of the working directory, else of the agent folder. */
async function readText(
  kind: ChangeKind,
  value: string,
  { dir, signal }: ChangeFiles,
): Promise<Result<FileText, Failure>> {
  const places = [...new Set([resolve(value), resolve(dir, value)])]
  for (const path of places) {
    const found = await tryAsync(
      () => stat(path),
      () => undefined,
    )
    if (!found.ok) continue
    const problem = problemOf(found.value)
    if (problem !== undefined) return err(ChangeInvalid(`${kind}=${value}: ${problem}`))
    const content = await tryAsync(() => readFile(path, { encoding: 'utf8', signal }), messageOf)
    return content.ok
      ? ok({ content: content.value.replaceAll('\r\n', '\n'), path })
      : err(ChangeInvalid(`${kind}=${value}: the file cannot be read: ${content.error}`))
  }
  return err(
    ChangeInvalid(`${kind}=${value}: there is no such file; looked for ${places.join(' and ')}`),
  )
}

function problemOf(found: { isFile(): boolean; readonly size: number }): string | undefined {
  if (!found.isFile()) return 'this is no file: name the file itself'
  return found.size > MOST_BYTES
    ? `the file has ${found.size} bytes, more than the ${MOST_BYTES} that are read`
    : undefined
}
