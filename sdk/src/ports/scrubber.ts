import { slot, type Failure, type Result } from '@amodal/kernel'
import type { RunContext } from './run-context.ts'
import type {
  PreparedCall,
  ScrubbedMessage,
  TargetMessage,
  ToolResult,
  RedactedValue,
} from './tool.ts'

/** Cleans results before any tap, the model or the journal sees them. */
export interface Scrubber {
  scrub(result: ToolResult, call: PreparedCall, ctx: RunContext): Promise<ToolResult>
  /**
   * The same for a message that the target sends before its result. An error gives the reason why
   * nothing of it may be shown.
   */
  scrubMessage(
    message: TargetMessage,
    call: PreparedCall,
    ctx: RunContext,
  ): Promise<
    Result<
      { readonly message: ScrubbedMessage; readonly redacted: readonly RedactedValue[] },
      Failure
    >
  >
}
export const Scrubber = slot.kernel<Scrubber>('scrubber')
