import type { AccessTier, Action, Connection, Json } from '@amodal/sdk'
import { Judge, type Judgement } from './judge.ts'

/** An endpoint, a field of GraphQL or a tool of a server, as a rule of `access.json` names it. */
export interface Operation {
  readonly method: string
  readonly path: string
}

/** What the rules of a connection say of an operation. */
export interface OperationAccess {
  /** `POST /refunds`; `any other read` and the like for what no rule names. */
  readonly name: string
  /** A rule names it. */
  readonly isNamed: boolean
  /** `undefined`: the tools of the server themselves say what they need. */
  readonly tier: AccessTier | undefined
  /** Where the rule asks for more than its tier: `review where body.amount is above 500`. */
  readonly conditions: readonly string[]
  /** Nobody is asked because untrusted text may have caused the call. */
  readonly ignoresTaint: boolean
}

/** A call by somebody who says that they mean it; no sub-agent makes it. */
export const ASKED = { delegated: false, declared: 'allow', intent: 'confirmed_write' } as const

/** No rule names a field like this, so that it gets the rule for all others. */
const ANY_FIELD = '_any_other_'

/** Judges an operation without a body, as the guard judges calls. */
export const judgeOperation = (
  judge: Judge,
  connection: Connection,
  operation: Operation,
): Judgement => judge.judge(connection, actionOf(connection, operation), ASKED)

function actionOf({ name, protocol }: Connection, { method, path }: Operation): Action {
  const common = { connection: name, protocol, method, query: {}, headers: {} }
  if (protocol === 'mcp' || method === 'CALL') return { ...common, path, effect: 'write' }
  if (method !== 'QUERY' && method !== 'MUTATION')
    return {
      ...common,
      path: path.replace(/[?#].*$/s, ''),
      effect: method === 'GET' ? 'read' : 'write',
    }
  const query = `${method.toLowerCase()} { ${path === '*' ? ANY_FIELD : path} }`
  return {
    ...common,
    path: '/graphql',
    effect: method === 'QUERY' ? 'read' : 'write',
    body: { query },
  }
}

/** The operations that the rules of a connection name. */
export const namedOperations = ({ access }: Connection): readonly Operation[] =>
  access.rules.map(({ method, path }) => ({ method, path }))

/**
 * What a connection allows, for people who compare: the given operations, judged by the code that
 * judges calls, and all others by its defaults.
 *
 * @param operations which ones; those that its own rules name where they are left out
 * @returns hidden operations are `never`
 * @example
 * accessOf(connection).find(({ name }) => name === 'POST /refunds')?.tier // 'confirm'
 */
export function accessOf(
  connection: Connection,
  operations: readonly Operation[] = namedOperations(connection),
): readonly OperationAccess[] {
  const judge = new Judge()
  const { access, accessGiven, protocol } = connection
  if (protocol === 'mcp' && !accessGiven)
    return [
      { name: 'any call', isNamed: false, tier: undefined, conditions: [], ignoresTaint: false },
    ]
  const listed = operations.map((operation): OperationAccess => {
    const { rule, tier } = judgeOperation(judge, connection, operation)
    return {
      name: `${operation.method} ${operation.path}`,
      isNamed: true,
      tier,
      conditions: (rule?.thresholds ?? []).map(
        ({ above, below, equals, escalate, field }) =>
          `${escalate} where ${field} is ${limitText(above, below, equals)}`,
      ),
      ignoresTaint: judge.ignoresTaint(connection, actionOf(connection, operation)),
    }
  })
  const others = (['read', 'write'] as const).map((kind): OperationAccess => ({
    name: `any other ${kind}`,
    isNamed: false,
    tier: access.fallback[kind],
    conditions: [],
    ignoresTaint: false,
  }))
  return [...listed, ...others]
}

function limitText(
  above: number | undefined,
  below: number | undefined,
  equals: Json | undefined,
): string {
  const limits = [
    ...(above === undefined ? [] : [`above ${above}`]),
    ...(below === undefined ? [] : [`below ${below}`]),
    ...(equals === undefined ? [] : [JSON.stringify(equals)]),
  ]
  return limits.join(' or ')
}
