import {
  isTriable,
  LOCAL_TENANT,
  principalId,
  sessionId,
  type AgentBundle,
  type BundleIssue,
  type RestSpec,
} from '@amodal/sdk'
import type { RestClient } from './rest-client.ts'
import { restConnections } from './request-tool.ts'

/**
 * Makes the test request of each connection: a problem for each that does not answer as it should.
 */
export async function checkLive(
  bundle: AgentBundle,
  client: RestClient,
  signal: AbortSignal,
): Promise<readonly BundleIssue[]> {
  const found = await Promise.all(
    restConnections(bundle).map(async (connection): Promise<readonly BundleIssue[]> => {
      const { name, rest, file } = connection
      const test = testOf(rest)
      if (!test || !isTriable(bundle, connection)) return []
      const fix = 'check address and credentials, or leave this check out with --skip-test'
      const issue = (message: string): readonly BundleIssue[] => [
        { severity: 'error', code: 'TARGET_ERROR', message: client.mask(message), file, fix },
      ]
      const action = client.action(connection, rest, {
        method: test.method,
        endpoint: test.path,
        ...(test.body !== undefined && { data: test.body }),
      })
      if (!action.ok) return issue(`its test: ${action.error}`)
      const asker = {
        tenant: LOCAL_TENANT,
        principal: principalId('validate'),
        session: sessionId('validate'),
        context: {},
      }
      const once = {
        ...rest,
        limits: { ...rest.limits, tries: 1, timeoutMs: Math.min(rest.limits.timeoutMs, 10_000) },
      }
      const unscoped = { ...connection, access: { ...connection.access, rowScoping: [] } }
      const answer = await client.send({
        connection: unscoped,
        rest: once,
        action: action.value,
        asker,
        trustContext: false,
        signal,
      })
      if (!answer.ok) return issue(`${name} does not answer: ${answer.error.message}`)
      return answer.value.status < 400
        ? []
        : issue(`${name} answered ${answer.value.status} to ${test.method} ${action.value.path}`)
    }),
  )
  return found.flat()
}

/** The request that shows whether a connection works. */
const testOf = ({ test, testPath }: RestSpec): RestSpec['test'] =>
  test ?? (testPath === undefined ? undefined : { method: 'GET', path: testPath })
