import {
  deadline,
  isTriable,
  within,
  type AgentBundle,
  type BundleIssue,
  type ConnectionStatus,
} from '@amodal/sdk'
import { connectionsOf } from '@amodal/sdk/connections'
import { LAST_WORDS } from './server-log.ts'
import { howToSignIn } from './oauth/sign-in-needed.ts'
import type { Servers } from './servers.ts'

/**
 * Starts each MCP server and asks for its tools: a problem for each that does not offer them in
 * time.
 *
 * @param servers for this check alone: those that serve an agent are not touched; closed at its end
 * @param limitMs for all of them together
 */
export async function checkLive(
  bundle: AgentBundle,
  servers: Servers,
  limitMs: number,
  signal: AbortSignal,
): Promise<readonly BundleIssue[]> {
  const files = new Map(
    connectionsOf(bundle)
      .filter((connection) => isTriable(bundle, connection))
      .map(({ name, file }) => [name, file]),
  )
  const served = servers.use(bundle)
  const tried = served.flatMap(({ connection: { name }, server }) =>
    server && files.has(name) ? [server.tried] : [],
  )
  const limit = deadline(signal, limitMs)
  // servers that are still connecting are reported below
  await within(Promise.all(tried), limit.signal).catch(() => undefined)
  limit.clear()
  const found = servers.statuses(bundle)
  const output = new Map(
    served.map(({ connection: { name }, server }) => [
      name,
      server?.output.lines.slice(-LAST_WORDS).join(' | ') ?? '',
    ]),
  )
  // what a login would show is for the server that runs
  const unseen = new Set(
    served.flatMap(({ connection: { name }, server }) =>
      server?.authorization?.problem === undefined ? [] : [name],
    ),
  )
  await servers.close()
  return [...unreadIn(served, files), ...failuresIn(found, { files, unseen, output, limitMs })]
}

/** Servers that answer, and whose answers cannot be read in every part. */
const unreadIn = (
  served: ReturnType<Servers['use']>,
  files: ReadonlyMap<string, string>,
): readonly BundleIssue[] =>
  served.flatMap(({ connection: { name }, server }): readonly BundleIssue[] => {
    const [file, problem] = [files.get(name), server?.leftOut.problem]
    return file === undefined || problem === undefined
      ? []
      : [
          {
            severity: 'warning',
            code: 'TARGET_ERROR',
            message: `what the MCP server "${name}" offers does not fit the protocol: ${problem}`,
            file,
            fix: 'correct the server, or use a version of it that fits the protocol',
          },
        ]
  })

interface Tried {
  readonly files: ReadonlyMap<string, string>
  /** Where nobody has signed in. */
  readonly unseen: ReadonlySet<string>
  /** The last lines of each. */
  readonly output: ReadonlyMap<string, string>
  readonly limitMs: number
}

function failuresIn(
  statuses: readonly ConnectionStatus[],
  { files, unseen, output, limitMs }: Tried,
): readonly BundleIssue[] {
  return statuses.flatMap(({ name, status, error }): readonly BundleIssue[] => {
    const file = files.get(name)
    if (file === undefined || status === 'ready') return []
    if (unseen.has(name))
      return [
        {
          severity: 'warning',
          code: 'TARGET_ERROR',
          message: `the MCP server "${name}" wants somebody to sign in, so that no more of it could be tried`,
          file,
          fix: `${howToSignIn(name)}, unless somebody has`,
        },
      ]
    const message =
      status === 'failed'
        ? `the MCP server "${name}" does not start: ${error ?? 'it does not say why'}`
        : `the MCP server "${name}" has not answered within ${limitMs / 1_000} s${(output.get(name) ?? '') === '' ? '' : ` (its output: ${output.get(name) ?? ''})`}`
    return [
      {
        severity: 'error',
        code: 'TARGET_ERROR',
        message,
        file,
        fix: 'check its command or address and its credentials, or leave this check out with --skip-test',
      },
    ]
  })
}
