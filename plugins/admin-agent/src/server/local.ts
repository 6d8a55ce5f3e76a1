import {
  err,
  failure,
  type Caller,
  type Failure,
  type Result,
  type RouteContext,
} from '@amodal/sdk'
import { isLoopback } from '@amodal/plugin-http/tokens'
import { AdminNotLocal } from '../errors.ts'

/** Only from this machine, whoever asks. */
export function localOnly({ from }: RouteContext): Failure | undefined {
  if (from === undefined || isLoopback(from.replace(/^::ffff:/i, ''))) return undefined
  return AdminNotLocal('the files of the agent are changed from its own machine alone')
}

/** Who may change files: the person at this machine, and no program without their token. */
export function deciderOf(context: RouteContext): Result<Caller, Failure> {
  const foreign = localOnly(context)
  if (foreign) return err(foreign)
  const caller = context.caller()
  if (!caller.ok) return caller
  const reason = context.identity?.mayNotDecide
  return reason === undefined ? caller : err(failure('UNAUTHENTICATED', reason))
}
