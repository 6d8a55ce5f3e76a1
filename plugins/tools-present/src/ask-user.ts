import { defineTool, type AskedQuestion, type ToolDefinition } from '@amodal/sdk'
import { z } from 'zod'

const Option = z.object({ label: z.string(), value: z.string() })

/** Parks the run until a person has answered; the answer is the outcome of the call. */
export function askUser(questionSeconds: number): ToolDefinition {
  return defineTool({
    name: 'ask_user',
    description: 'Asks the person one question and waits for the answer. Use it only when you cannot go on without it.',
    readOnly: true,
    runningLabel: 'Waiting for an answer',
    completedLabel: 'Answered',
    input: z.object({
      question: z.string().min(1).describe('The question, in full'),
      options: z.array(Option).max(20).optional().describe('Answers to choose from, where they are known'),
    }),
    execute: async ({ question, options }) => {
      const asked: AskedQuestion = { id: 'q1', text: question, type: options ? 'choice' : 'text', ...(options ? { options } : {}) }
      return {
        status: 'asks',
        question: {
          type: 'question',
          schema: {
            description: question, type: 'object',
            properties: { response: { type: 'string', maxLength: 10_000, ...(options ? { enum: options.map(({ value }) => value) } : {}) } },
            required: ['response'], additionalProperties: false,
          },
          context: { question },
          questions: [asked],
          ...(questionSeconds === 0 ? {} : { expiresInMs: questionSeconds * 1_000 }),
        },
      }
    },
  })
}
