import {
  defineBundle,
  err,
  failure,
  ok,
  type AgentBundle,
  type JsonObject,
  type Secrets,
} from '@amodal/sdk'
import { connectionsOf, brokenConnectionsOf } from '@amodal/sdk/connections'
import { readConnections } from '../src/read.ts'

/** Secrets that are set. */
export const secretsOf = (values: Readonly<Record<string, string>>): Secrets => ({
  get: (name) => values[name],
  resolve: (text) => {
    if (!text.startsWith('env:')) return ok(text)
    const value = values[text.slice(4)]
    return value === undefined ? err(failure('ENV_NOT_SET', `${text} is not set`)) : ok(value)
  },
  load: () => [],
  values: () => [],
  protect: () => () => undefined,
  mask: (text) => text,
})

/** The bundle of an agent with these files. */
export function bundleOf(
  files: Readonly<Record<string, string | object>>,
  raw: JsonObject = {},
): AgentBundle {
  const bundle = defineBundle({ name: 'a' })
  const given = Object.entries(files).map(([path, text]) => ({
    path,
    text: typeof text === 'string' ? text : JSON.stringify(text, null, 2),
  }))
  return { ...bundle, manifest: { ...bundle.manifest, raw }, files: given }
}

export interface Read {
  readonly bundle: AgentBundle
  readonly names: readonly string[]
  readonly broken: readonly string[]
  /** `severity file:line message`. */
  readonly issues: readonly string[]
}

export async function read(
  files: Readonly<Record<string, string | object>>,
  raw: JsonObject = {},
  env: Readonly<Record<string, string>> = {},
): Promise<Read> {
  const bundle = await readConnections(bundleOf(files, raw), secretsOf(env))
  return {
    bundle,
    names: connectionsOf(bundle).map(({ name }) => name),
    broken: brokenConnectionsOf(bundle).map(({ name }) => name),
    issues: bundle.issues.map(
      ({ severity, file = '', line, message }) =>
        `${severity} ${file}${line === undefined ? '' : `:${line}`} ${message}`,
    ),
  }
}
