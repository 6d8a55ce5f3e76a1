import type { AgentBundle, Connection } from '@amodal/sdk'
import { connectionsOf } from '@amodal/sdk/connections'
import type { Draft } from './draft.ts'
import type { RightsLine } from './right.ts'
import { partPath } from '@amodal/sdk/files'

/** What holds for everybody, by what it is about: where a connection leads, what code runs. */
type Facts = ReadonlyMap<string, readonly string[]>

/** Changes of what holds whoever asks. */
export function factLines(before: Draft, after: Draft): readonly RightsLine[] {
  const [was, is] = [factsOf(before.bundle), factsOf(after.bundle)]
  const about = [...new Set([...was.keys(), ...is.keys()])].sort()
  return [
    ...about.flatMap((name) => {
      const [old = [], now = []] = [was.get(name), is.get(name)]
      return [
        ...now
          .filter((fact) => !old.includes(fact))
          .map((fact): RightsLine => ({ direction: 'other', text: `${name} now ${fact}` })),
        ...old
          .filter((fact) => !now.includes(fact))
          .map((fact): RightsLine => ({ direction: 'other', text: `${name} no longer ${fact}` })),
      ]
    }),
    ...codeLines(before, after),
  ]
}

function codeLines({ tools: before }: Draft, { tools: after }: Draft): readonly RightsLine[] {
  return after.flatMap(({ digest, name }) => {
    const old = before.find((one) => one.name === name)
    return old && old.digest !== digest
      ? [{ direction: 'other', text: `the tool \`${name}\` does something else: its files change` }]
      : []
  })
}

const factsOf = (bundle: AgentBundle): Facts =>
  new Map(
    connectionsOf(bundle).map((connection) => [
      `the connection \`${connection.name}\``,
      [
        `reaches ${placeOf(connection)}`,
        ...secretsOf(bundle, connection).map((name) => `uses the secret ${name}`),
        ...limitsOf(connection),
      ],
    ]),
  )

/** Without what an address may hold of credentials. */
function placeOf({ rest, spec }: Connection): string {
  const address = rest?.baseUrl ?? spec['url']
  if (typeof address === 'string') {
    const url = URL.parse(address)
    if (url) return `${url.origin}${url.pathname === '/' ? '' : url.pathname}`
    return address.startsWith('env:') ? `the address in ${address}` : 'an address of its own'
  }
  const command = spec['command']
  return typeof command === 'string' ? `the program ${command}` : 'an address of its own'
}

const secretsOf = ({ references }: AgentBundle, { name }: Connection): readonly string[] => [
  ...new Set(
    references
      .filter(({ where }) => partPath(where).startsWith(`connections/${name}/`))
      .map((one) => one.name),
  ),
]

function limitsOf({ access, rest, spec }: Connection): readonly string[] {
  const { delegations, rowScoping } = access
  const days = delegations.maxDurationDays
  const filter = rest?.filter
  return [
    ...rowScoping.map(
      ({ entity, field }) => `limits \`${entity}\` to the rows of whoever asks (\`${field}\`)`,
    ),
    delegations.enabled
      ? `lets sub-agents write${days === undefined ? '' : `, for ${days} days`}`
      : 'refuses writes of sub-agents',
    ...(delegations.enabled && delegations.escalateConfirm
      ? ['has writes of sub-agents reviewed']
      : []),
    ...(filter && [...filter.tags, ...filter.includePaths, ...filter.excludePaths].length > 0
      ? [`offers a part of its endpoints alone: ${JSON.stringify(filter)}`]
      : []),
    ...(spec['trusted'] === true ? ['is trusted: its texts count as those of the owner'] : []),
  ]
}
