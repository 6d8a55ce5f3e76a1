import { slot } from '@amodal/sdk'
import type { TurnTrace } from './spans/turn-trace.ts'

/** The spans and measures of the turn that is driven here. */
export const TurnTraces = slot.run<TurnTrace>('turn-trace')
