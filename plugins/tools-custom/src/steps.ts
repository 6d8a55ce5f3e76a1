import {
  err,
  ok,
  type InnerCall,
  type Json,
  type JsonObject,
  type Result,
  type ToolContext,
  type ToolResult,
} from '@amodal/sdk'
import type { Step, StepsTool } from './custom-tool.ts'
import { fillFrom, fillPath, fillText, fillValue, type Fill } from './placeholders.ts'
import { shape } from './shaping.ts'

/** Methods that change nothing, by what they mean. */
export const isReading = ({ method }: Pick<Step, 'method'>): boolean =>
  ['GET', 'HEAD', 'OPTIONS'].includes(method)

/**
 * The requests of a tool for these arguments, as calls of the tool `request`; or why there are
 * none.
 */
export function requestsOf(
  { steps }: StepsTool,
  args: JsonObject,
  now: number,
): Result<readonly InnerCall[], string> {
  const fill = fillFrom(args, now)
  const calls: InnerCall[] = []
  for (const step of steps) {
    const endpoint = fillPath(step.endpoint, fill)
    if (!endpoint.ok) return err(endpoint.error)
    calls.push({ name: 'request', args: requestOf(step, endpoint.value, fill) })
  }
  return ok(calls)
}

function requestOf(
  { connection, method, params, data, headers }: Step,
  endpoint: string,
  fill: Fill,
): JsonObject {
  const query = params && fillValue(params, fill)
  const body = data === undefined ? undefined : fillValue(data, fill)
  return {
    connection,
    method,
    endpoint,
    ...(query !== undefined && { params: query }),
    ...(body !== undefined && { data: body }),
    ...(headers && {
      headers: Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [name, fillText(value, fill)]),
      ),
    }),
  }
}

/** Makes all requests at once. A chain has an answer as long as one of its steps has. */
export async function runSteps(
  tool: StepsTool,
  args: JsonObject,
  now: number,
  ctx: Pick<ToolContext, 'call'>,
): Promise<ToolResult> {
  const requests = requestsOf(tool, args, now)
  if (!requests.ok) return { status: 'error', code: 'TOOL_ARGUMENTS', message: requests.error }
  const answers = await Promise.all(requests.value.map((request) => ctx.call(request)))
  const [first] = answers
  if (tool.kind === 'http') {
    if (first?.status !== 'success') return failed(first)
    return {
      status: 'success',
      output: shape(first.output, tool.shaping),
      ...(first.content && { content: first.content }),
    }
  }
  if (!answers.some(({ status }) => status === 'success'))
    return failed(
      first,
      tool.steps.map(({ name }, index) => `${name}: ${messageIn(answers[index])}`).join('; '),
    )
  const output: JsonObject = Object.fromEntries(
    tool.steps.map(({ name, shaping }, index) => [name, partOf(answers[index], shaping)]),
  )
  return { status: 'success', output: shape(output, tool.shaping) }
}

function partOf(answer: ToolResult | undefined, shaping: Step['shaping']): Json {
  return answer?.status === 'success' ? shape(answer.output, shaping) : { error: messageIn(answer) }
}

const messageIn = (answer: ToolResult | undefined): string =>
  answer?.status === 'error' ? answer.message : 'there was no answer'

function failed(answer: ToolResult | undefined, message = messageIn(answer)): ToolResult {
  const error = answer?.status === 'error' ? answer : undefined
  return {
    status: 'error',
    message,
    code: error?.code ?? 'TOOL_FAILED',
    ...(error?.output !== undefined && { output: error.output }),
  }
}
