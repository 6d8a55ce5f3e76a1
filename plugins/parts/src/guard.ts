import type { Action, AgentBundle, PreparedCall, Verdict } from '@amodal/sdk'
import { partOriginsOf, type PartOrigins } from '@amodal/sdk/packages'
import { allows, NO_CAPABILITIES, type PartCapabilities } from './capability-lists.ts'

interface Holder {
  readonly name: string
  readonly capabilities: PartCapabilities
}

/**
 * Denies a call that leads further than what was accepted of a package: a call that one of its
 * tools makes, however deep, and any call of a connection that it brings.
 */
export function holdToAccepted(
  verdict: Verdict,
  call: PreparedCall,
  bundle: AgentBundle,
): Verdict | undefined {
  const { action } = call
  if (!action) return undefined
  const packages = partOriginsOf(bundle)
  if (Object.keys(packages.packages).length === 0) return undefined
  const tools = callers(call).flatMap(({ tool }) => holderOf(packages, packages.tools[tool.name]))
  const owner = holderOf(packages, packages.parts[`connections.${action.connection}`])
  const refused = [...tools, ...owner].flatMap((holder) => refusalOf(holder, action) ?? [])
  const [reason] = refused
  return reason === undefined ? undefined : verdict.raise('deny', reason)
}

/** The call, and those that it was made by. */
function callers(call: PreparedCall): readonly PreparedCall[] {
  return call.outer ? [call, ...callers(call.outer)] : [call]
}

function holderOf({ packages }: PartOrigins, name: string | undefined): readonly Holder[] {
  const found = name === undefined ? undefined : packages[name]
  return found && name !== undefined
    ? [{ name, capabilities: { ...NO_CAPABILITIES, ...found.capabilities } }]
    : []
}

function refusalOf({ name, capabilities }: Holder, action: Action): string | undefined {
  const { connection, protocol, origin, effect } = action
  const host = origin === undefined ? undefined : URL.parse(origin)?.host
  if (protocol === 'web') {
    if (host === undefined || !allows(capabilities, 'hosts', host))
      return `the package ${name} was not accepted to send requests to ${host ?? 'an unknown host'}`
  } else if (!allows(capabilities, 'connections', connection))
    return `the package ${name} was not accepted to use the connection "${connection}"`
  return effect === 'write' && !allows(capabilities, 'effects', 'write')
    ? `the package ${name} was not accepted to change anything in other systems`
    : undefined
}
