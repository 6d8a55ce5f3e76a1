import {
  type AccessRule,
  type AgentBundle,
  type BrokenConnection,
  type BundleIssue,
  type Connection,
  isObject,
  type Json,
} from '@amodal/sdk'
import { brokenConnectionsOf, connectionsOf, nameKey, parseTemplate } from '@amodal/sdk/connections'
import { Issues, jsonFileIn, valueAt } from '@amodal/sdk/files'
import { parseField } from './field.ts'

const PATHLESS = new Set(['QUERY', 'MUTATION', 'CALL'])

/**
 * Leaves out connections with a rule that can never apply: it would promise protection without
 * giving any.
 *
 * @returns the bundle itself where all rules are in order
 */
export function withoutInvalidRules(bundle: AgentBundle): AgentBundle {
  const connections = connectionsOf(bundle)
  const left = connections
    .map((connection) => ({ connection, issues: problemsOf(connection, bundle) }))
    .filter(({ issues }) => issues.length > 0)
  if (left.length === 0) return bundle
  const names = new Set(left.map(({ connection }) => connection.name))
  const broken = left.map(
    ({ connection: { name, protocol, file }, issues: [first] }): BrokenConnection => ({
      name,
      kind: protocol,
      file: file.replace(/\/[^/]*$/, ''),
      error: `${first?.file ?? file}${first?.line === undefined ? '' : `:${first.line}`} ${first?.message ?? ''}`,
    }),
  )
  return {
    ...bundle,
    issues: [
      ...bundle.issues,
      ...left.flatMap(({ connection: { name }, issues }) => [
        ...issues,
        leftOut(name, issues[0]?.file),
      ]),
    ],
    parts: {
      ...bundle.parts,
      connections: plain(connections.filter(({ name }) => !names.has(name))),
      'connections.broken': plain([...brokenConnectionsOf(bundle), ...broken]),
    },
  }
}

// it was made of JSON
const plain = (value: unknown): Json => JSON.parse(JSON.stringify(value)) as Json
const leftOut = (name: string, file: string | undefined): BundleIssue => ({
  severity: 'error',
  code: 'BAD_REPO',
  message: `the connection "${name}" is left out, since its access rules are not in order`,
  ...(file === undefined ? {} : { file }),
  fix: 'correct what is said of its rules, and start again',
})

function problemsOf(connection: Connection, bundle: AgentBundle): readonly BundleIssue[] {
  const issues = new Issues()
  for (const rule of connection.access.rules) {
    const problem = problemOf(rule, connection.protocol)
    if (problem !== undefined)
      issues.error('BAD_REPO', `\`${rule.method} ${rule.path}\`: ${problem.message}`, {
        ...placeOfRule(rule, connection, bundle),
        fix: problem.fix,
      })
  }
  return issues.sorted()
}

interface Problem {
  readonly message: string
  readonly fix: string
}

function problemOf(
  { method, path, thresholds }: AccessRule,
  protocol: Connection['protocol'],
): Problem | undefined {
  const isTool = method === 'CALL'
  if (protocol === 'rest' && isTool)
    return {
      message: 'this connection has no tools',
      fix: 'name an endpoint, such as "GET /deals/{id}"',
    }
  if (protocol === 'mcp' && !isTool && method !== '*')
    return {
      message: 'an MCP connection has no endpoints',
      fix: 'name a tool, such as "CALL create_issue"',
    }
  if ((method === 'QUERY' || method === 'MUTATION') && !/^(?:\*|[_A-Za-z]\w*)$/.test(path))
    return {
      message: 'this is no field of GraphQL',
      fix: `write "${method} createDeal", or "${method} *"`,
    }
  const template = PATHLESS.has(method) ? undefined : parseTemplate(path)
  if (template && !template.ok)
    return {
      message: template.error,
      fix: 'write the path as in "GET /deals/{id}" or "* /admin/**"',
    }
  const parameters = template?.ok
    ? template.value.flatMap((part) => (part.kind === 'parameter' ? [part.name] : []))
    : []
  const named = parameters.filter((name) => name !== '')
  const twice = named.find((name, at) => named.indexOf(name) !== at)
  if (twice !== undefined)
    return {
      message: `two parameters of this path are called \`${twice}\``,
      fix: 'give each parameter a name of its own: case and Unicode form do not count',
    }
  for (const { field } of thresholds) {
    const parsed = parseField(field)
    if (!parsed)
      return {
        message: `the threshold on \`${field}\` names no part of a request`,
        fix: 'write it as in body.amount, body.items[].qty, query.limit, path.id or headers.x-priority',
      }
    if (parsed.root === 'path' && !parameters.includes(nameKey(field.slice('path.'.length))))
      return {
        message: `the threshold on \`${field}\` names no parameter of this path`,
        fix: `use one of: ${parameters.join(', ') || 'none, this path has no parameters'}`,
      }
  }
  return undefined
}

/** The file and line of a rule, if known. */
export function placeOfRule(
  { method, path }: AccessRule,
  { file }: Connection,
  { files }: AgentBundle,
): { readonly file: string; readonly line?: number } {
  const name = file.replace(/[^/]*$/, 'access.json')
  const json = jsonFileIn(files, name)
  const endpoints = json && valueAt(json.value, ['endpoints'])
  const key = isObject(endpoints)
    ? Object.keys(endpoints).find(
        (one) =>
          one.trim().split(/\s+/).slice(-1)[0] === path &&
          (one.toUpperCase().startsWith(method) || method === 'CALL'),
      )
    : undefined
  return key === undefined || !json
    ? { file: name }
    : { file: name, line: json.lineOf(['endpoints', key]) }
}
