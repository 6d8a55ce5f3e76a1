import type { Turn, TurnParts } from '@amodal/sdk'
import type { CompileCache } from './compile.ts'
import type { History } from './history.ts'
import type { LiveLog } from './live-log.ts'
import type { RuntimeSettings } from './settings.ts'

export interface LoopParts extends TurnParts {
  readonly history: History
  readonly live: LiveLog
  readonly settings: RuntimeSettings
  readonly compile: CompileCache
}

/** A turn with what the handlers of this loop work with. */
export type LoopTurn = Turn<LoopParts>
