import {
  Agent,
  type Command,
  type CommandContext,
  type Connection,
  type RestSpec,
} from '@amodal/sdk'
import { confirmAtTerminal } from '@amodal/sdk/packages'
import { restConnections } from '../request-tool.ts'
import { driftOf, type Drift, type DriftSource } from './drift.ts'
import { isBreaking, isDrift, reportJson, reportLines } from './drift-report.ts'
import { addConnection, connectionNameOf, writeDocuments } from './write-documents.ts'

type Rest = Connection & { readonly rest: RestSpec }

/** `amodal pkg sync` */
export const syncCommand = (source: DriftSource): Command => ({
  summary: 'Compare API documents with what the API serves, and bring them up to date',
  usage:
    'amodal pkg sync [CONNECTION …] [--from URL] [--check] [--breaking] [--yes] [--json] [--dir PATH]',
  about: [
    'Fetches the document of each connection with a `specUrl`, OpenAPI or GraphQL, and says what has changed since the one in the folder of the connection: what is breaking, what is not, and which of your tools, rules and evals name it. Then the newer one takes its place; where something is breaking, you are asked first.',
    'With --check nothing is written, and the exit code is 1 where the API has changed.',
  ],
  examples: [
    ['amodal pkg sync --check', 'in CI: has an API changed?'],
    ['amodal pkg sync crm', 'brings the document of one connection up to date'],
    ['amodal pkg sync shop --from https://shop.example/graphql', 'a new connection'],
  ],
  options: {
    from: {
      type: 'string',
      description: 'A document, as an address or a file, in place of `specUrl`',
    },
    check: { type: 'boolean', description: 'Write nothing; exit code 1 where the API has changed' },
    breaking: { type: 'boolean', description: 'With --check: only breaking changes count' },
    yes: { type: 'boolean', description: 'Also write breaking changes without asking' },
    json: { type: 'boolean', description: 'Print what has changed as JSON' },
  },
  async run(context) {
    const kernel = await context.start({ without: ['http'], looking: true })
    const bundle = kernel.scope.get(Agent).bundle()
    if (!bundle) {
      context.fail('The agent does not load: run `amodal validate`')
      return 1
    }
    const connections = restConnections(bundle)
    const { from } = context.options
    if (typeof from === 'string') return syncFrom(from, connections, context, source)
    const names = context.arguments
    const unknown = names.find((name) => !connections.some((one) => one.name === name))
    if (unknown !== undefined) {
      context.fail(
        `There is no HTTP connection "${unknown}"${connections.length === 0 ? '' : `; there are ${connections.map(({ name }) => name).join(', ')}`}`,
      )
      return 2
    }
    const wanted = connections.filter(({ name, rest }) =>
      names.length > 0 ? names.includes(name) : rest.specUrl !== undefined,
    )
    if (wanted.length === 0) {
      context.print('No connection has a `specUrl`: there is nothing to compare.')
      return 0
    }
    const found = await Promise.all(
      wanted.map(async (connection) => ({
        connection,
        drift: await driftOf(connection, bundle, source, context.signal),
      })),
    )
    const failed = found.filter(({ drift }) => !drift.ok)
    for (const { connection, drift } of failed)
      if (!drift.ok)
        context.fail(
          `${connection.name}: ${drift.error.why}${drift.error.fix === undefined ? '' : ` (${drift.error.fix})`}`,
        )
    const code = await conclude(
      found.flatMap(({ drift }) => (drift.ok ? [drift.value] : [])),
      context,
    )
    return failed.length > 0 ? 1 : code
  },
})

/** `--from`: of a connection that is there, or of a new one. */
async function syncFrom(
  from: string,
  connections: readonly Rest[],
  context: CommandContext,
  source: DriftSource,
): Promise<number> {
  const [given, ...more] = context.arguments
  if (more.length > 0) {
    context.fail('--from is of one connection: name that one alone')
    return 2
  }
  const name = given ?? connectionNameOf(from)
  const known =
    given === undefined
      ? (connections.find(({ rest }) => rest.specUrl === from) ??
        connections.find((one) => one.name === name))
      : connections.find((one) => one.name === given)
  if (!known) {
    if (context.options['check'] !== true) return addConnection(name, from, source, context)
    context.fail(`There is no connection "${name}" to compare with ${from}`)
    return 1
  }
  const kernel = await context.start({ without: ['http'], looking: true })
  const bundle = kernel.scope.get(Agent).bundle()
  if (!bundle) return 1
  const drift = await driftOf(known, bundle, source, context.signal, from)
  if (drift.ok) return conclude([drift.value], context, from)
  context.fail(`${known.name}: ${drift.error.why}`)
  return 1
}

/** Says what has changed; without --check, writes it. */
async function conclude(
  drifts: readonly Drift[],
  context: CommandContext,
  from?: string,
): Promise<number> {
  const { dir, fail, options, print } = context
  if (options['json'] === true) print(JSON.stringify(drifts.map(reportJson), undefined, 2))
  else for (const line of drifts.flatMap(reportLines)) print(line)
  if (options['check'] === true) {
    const counts = options['breaking'] === true ? isBreaking : isDrift
    return drifts.some(counts) ? 1 : 0
  }
  const newer = drifts.filter(({ pinned, served }) => pinned?.text !== served.text)
  const breaking = newer.filter((drift) => drift.pinned !== undefined && isBreaking(drift))
  if (breaking.length > 0 && options['yes'] !== true) {
    const question = `Write ${breaking.length === 1 ? 'it' : 'them'}, with what is breaking?`
    const isAccepted = await confirmAtTerminal(question, context)
    if (isAccepted !== true) {
      if (isAccepted === undefined)
        fail('Something is breaking: add --yes to write it. Nothing was written.')
      return 1
    }
  }
  const written = writeDocuments(dir, newer, from)
  if (!written.ok) {
    fail(`NOT_WRITABLE: ${written.error}`)
    return 1
  }
  if (options['json'] !== true) for (const path of written.value) print(`✓ ${path}`)
  return 0
}
