import type { Handlers } from '@amodal/sdk'
import { compacting } from './compacting.ts'
import { confirming } from './confirming.ts'
import { dispatching } from './dispatching.ts'
import { executing } from './executing.ts'
import type { LoopTurn } from './loop-turn.ts'
import { streaming } from '../model-calls/streaming.ts'
import { thinking } from './thinking.ts'

/** The handler of each state. */
export const handlers: Handlers<LoopTurn> = {
  thinking,
  streaming,
  executing,
  confirming,
  dispatching,
  compacting,
}
