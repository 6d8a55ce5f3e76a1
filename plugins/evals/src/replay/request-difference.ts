import type { PromptDraft, ToolSchema } from '@amodal/sdk'
import type { ModelRequest } from './course.ts'
import { textChange, type TextChange } from './text-change.ts'

/** The part of a request that differs, in the order in which they are compared. */
export type RequestPart = 'prompt' | 'tool' | 'message' | 'model' | 'settings' | 'request'

/** How a request differs from that of the unchanged agent. */
export interface RequestDifference {
  readonly part: RequestPart
  /**
   * The section of the prompt, the tool, or the message by its role and number from 1; of a result,
   * the tool and its call.
   */
  readonly what: string
  /** Left out: nothing stands in one of the requests. */
  readonly text?: TextChange
  readonly section?: PromptDraft['sections'][number]
  /** The tool that has given the result, or that is defined otherwise. */
  readonly tool?: string
}

/**
 * The first difference of two requests.
 *
 * @param before `undefined`: the unchanged agent sends no further request
 */
export function requestDifference(
  before: ModelRequest | undefined,
  after: ModelRequest,
): RequestDifference | undefined {
  if (!before) return { part: 'request', what: 'the unchanged agent sends no such request' }
  return (
    promptDifference(before, after) ??
    toolDifference(before.tools, after.tools) ??
    messageDifference(before.messages, after.messages) ??
    textDifference('model', 'the main model', before.model, after.model) ??
    textDifference('settings', 'settings of the model', before.settings, after.settings)
  )
}

function textDifference(
  part: RequestPart,
  what: string,
  before: string,
  after: string,
): RequestDifference | undefined {
  const text = textChange(before, after)
  return text && { part, what, text }
}

function promptDifference(
  before: ModelRequest,
  after: ModelRequest,
): RequestDifference | undefined {
  const text = textChange(before.system, after.system)
  if (!text) return undefined
  const section = sectionAt(after, text.at) ?? sectionAt(before, text.at)
  return {
    part: 'prompt',
    what: section ? `section ${section.id}` : 'the system prompt',
    text,
    ...(section && { section }),
  }
}

/** Sections are joined by an empty line; where a tap has changed the text, none is found. */
function sectionAt(
  { sections, system }: ModelRequest,
  at: number,
): PromptDraft['sections'][number] | undefined {
  let start = 0
  for (const section of sections) {
    const { body, title } = section
    const text = title === '' ? body : `# ${title}\n\n${body}`
    if (!system.startsWith(text, start)) return undefined
    start += text.length + 2
    if (at < start) return section
  }
  return undefined
}

function toolDifference(
  before: readonly ToolSchema[],
  after: readonly ToolSchema[],
): RequestDifference | undefined {
  const names = [...new Set([...before, ...after].map(({ name }) => name))]
  for (const name of names) {
    const [one, other] = [before, after].map((tools) => {
      const tool = tools.find((candidate) => candidate.name === name)
      return tool ? JSON.stringify(tool, null, 1) : ''
    })
    const text = textChange(one ?? '', other ?? '')
    if (!text) continue
    return { part: 'tool', what: `${name} ${howDefined(one, other)}`, text, tool: name }
  }
  return undefined
}

function howDefined(before: string | undefined, after: string | undefined): string {
  if (before === '') return 'is new'
  return after === '' ? 'is gone' : 'is defined otherwise'
}

function messageDifference(
  before: readonly string[],
  after: readonly string[],
): RequestDifference | undefined {
  for (let index = 0; index < Math.max(before.length, after.length); index++) {
    const [one = '', other = ''] = [before[index], after[index]]
    if (one === other) continue
    const [was, is] = [textsIn(one), textsIn(other)]
    const place = is.findIndex(({ text }, at) => text !== was[at]?.text)
    const found = is[Math.max(place, 0)]
    const text = textChange(was[Math.max(place, 0)]?.text ?? one, found?.text ?? other)
    return {
      part: 'message',
      what: found?.what ?? `message ${index + 1}`,
      ...(text ? { text } : {}),
      ...(found?.tool !== undefined && { tool: found.tool }),
    }
  }
  return undefined
}

interface MessageText {
  readonly what: string
  readonly text: string
  readonly tool?: string
}

/** Texts of a message, those of results with the tool that gave them. */
function textsIn(json: string): readonly MessageText[] {
  if (json === '') return []
  const { content, role } = JSON.parse(json) as { role: string; content: unknown } // our own JSON
  if (typeof content === 'string') return [{ what: `message of ${role}`, text: content }]
  if (!Array.isArray(content)) return []
  return content.map((part: unknown) => {
    const { output, text, toolCallId, toolName } = part as Readonly<Record<string, unknown>>
    if (typeof toolName === 'string' && output !== undefined)
      return {
        what: `result of ${toolName} (${String(toolCallId)})`,
        text: outputText(output),
        tool: toolName,
      }
    return {
      what: `message of ${role}`,
      text: typeof text === 'string' ? text : JSON.stringify(part),
    }
  })
}

const outputText = (output: unknown): string => {
  const { value } = output as { readonly value?: unknown }
  return typeof value === 'string' ? value : JSON.stringify(value ?? output, null, 1)
}
