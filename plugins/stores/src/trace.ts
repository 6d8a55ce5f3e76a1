import {
  err,
  ok,
  type JsonObject,
  type Result,
  type StoreDefinition,
  type ToolContext,
} from '@amodal/sdk'
import { isStorable, NOT_STORABLE } from '@amodal/sdk/data'

/** The parameter in which the agent says why it writes. */
const REASONING = '_reasoning'
const LONGEST = 4_000

/** A store that keeps reasons, and has no field of its own by that name. */
const asks = ({ trace, entity: { schema } }: StoreDefinition): boolean =>
  trace === true && !Object.hasOwn(schema, REASONING)

/** Adds the parameter to a tool's schema. Programs that call the tool may leave it out. */
export function withReasoning(
  store: StoreDefinition,
  schema: { readonly properties: JsonObject; readonly required: readonly string[] },
): JsonObject {
  if (!asks(store)) return { ...schema }
  const reasoning = {
    type: 'string',
    description:
      'Why you store this, with the evidence, in a few sentences; kept beside the document',
  }
  return {
    ...schema,
    properties: { ...schema.properties, [REASONING]: reasoning },
    required: [...schema.required, REASONING],
  }
}

/** Separates the reasons from the document. */
export function splitReasoning(
  store: StoreDefinition,
  args: JsonObject,
): Result<{ readonly rest: JsonObject; readonly reasoning: string | undefined }, string> {
  if (!asks(store)) return ok({ rest: args, reasoning: undefined })
  const { [REASONING]: reasoning, ...rest } = args
  if (reasoning === undefined || reasoning === null) return ok({ rest, reasoning: undefined })
  if (typeof reasoning !== 'string' || reasoning.length > LONGEST)
    return err(`${REASONING}: must be a text of at most ${LONGEST} characters`)
  return isStorable(reasoning) ? ok({ rest, reasoning }) : err(`${REASONING}: ${NOT_STORABLE}`)
}

/**
 * The trace that is stored with a document. Shared stores get none of the session's ids, since
 * other tenants read them.
 */
export function traceOf(
  store: StoreDefinition,
  reasoning: string | undefined,
  { session, run, callId }: Pick<ToolContext, 'session' | 'run' | 'callId'>,
): { readonly trace?: JsonObject } {
  if (store.trace !== true) return {}
  return {
    trace: {
      ...(reasoning !== undefined && { reasoning }),
      ...(store.shared !== true && { session, run, call: callId }),
    },
  }
}
