import type { Failure, ToolResult } from '@amodal/sdk'

/** A failure as the model is told of it. */
export const failedCall = ({ code, message }: Failure): ToolResult => ({
  status: 'error',
  code,
  message,
})
