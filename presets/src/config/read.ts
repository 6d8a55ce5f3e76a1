import { readFile, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import {
  err,
  failure,
  messageOf,
  ok,
  type BundleIssue,
  type Failure,
  type Result,
} from '@amodal/sdk'
import { parseJson, textOf, MANIFEST_FILES } from '@amodal/sdk/files'
import { Wiring } from './wiring.ts'

/**
 * Why a folder cannot be wired. `issues` are those of its wiring; a file that cannot be read or
 * parsed has none here.
 */
export type WiringFailure = Failure & { readonly issues?: readonly BundleIssue[] }

/** The wiring of a folder, and where it stands. */
export interface WiringFile {
  readonly wiring: Wiring
  /** Absolute. */
  readonly file: string
  /** An issue at a path of the file, such as `['plugins', 2]`. */
  readonly issue: (
    path: readonly PropertyKey[],
    about: Pick<BundleIssue, 'code' | 'message' | 'fix'>,
  ) => BundleIssue
}

/**
 * Reads the part of the manifest that says how an agent folder is wired.
 *
 * @param dir folder of the agent, absolute or relative to the working directory
 * @returns the wiring; `NOT_FOUND`, `UNREADABLE` or `BAD_REPO`, naming file, line and field
 */
export async function readWiring(dir: string): Promise<Result<WiringFile, WiringFailure>> {
  const root = resolve(dir)
  try {
    if (!(await stat(root)).isDirectory())
      return err(
        failure(
          'UNREADABLE',
          `${root} is a file, and an agent is a folder; name the folder with --dir`,
        ),
      )
  } catch (cause) {
    return err(
      failure(
        isMissing(cause) ? 'NOT_FOUND' : 'UNREADABLE',
        `the agent folder ${root} cannot be read (${messageOf(cause)}); name another with --dir`,
        { cause },
      ),
    )
  }
  for (const name of MANIFEST_FILES) {
    const file = join(root, name)
    try {
      const text = textOf(await readFile(file))
      return text.ok
        ? parse(text.value, file, name)
        : err(failure('UNREADABLE', `${file}: ${text.error}; save it as UTF-8`))
    } catch (cause) {
      if (!isMissing(cause))
        return err(failure('UNREADABLE', `${file} cannot be read: ${messageOf(cause)}`, { cause }))
    }
  }
  return err(
    failure(
      'NOT_FOUND',
      `there is no amodal.json in ${root}; create it with { "name": "my-agent" }, or name the agent folder with --dir`,
    ),
  )
}

function parse(text: string, file: string, name: string): Result<WiringFile, WiringFailure> {
  const json = parseJson(text)
  if (!json.ok) {
    const [{ line, column, message }] = json.error
    return err(
      failure(
        'BAD_REPO',
        `${file}:${line}:${column}: ${message}; \`amodal validate\` tells all that is wrong`,
      ),
    )
  }
  const { value, positionOf } = json.value
  const issue: WiringFile['issue'] = (path, { code, message, fix }) => ({
    severity: 'error',
    file: name,
    line: positionOf(path).line,
    code,
    message,
    ...(fix !== undefined && { fix }),
  })
  const read = Wiring.safeParse(value, { jitless: true })
  if (read.success) return ok({ wiring: read.data, file, issue })
  const issues = read.error.issues.map(({ path, message }) =>
    issue(path, {
      code: 'BAD_CONFIG',
      message: `\`${path.map(String).join('.') || 'the file'}\`: ${message}`,
    }),
  )
  return err({ ...failure('BAD_CONFIG', `${file} does not say how the agent is wired`), issues })
}

const isMissing = (cause: unknown): boolean =>
  typeof cause === 'object' &&
  cause !== null &&
  'code' in cause &&
  (cause.code === 'ENOENT' || cause.code === 'ENOTDIR')
