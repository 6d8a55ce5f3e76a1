import { askId, callId, type AgentEvent, type JsonObject, type PendingAsk } from '@amodal/sdk'

const approval: JsonObject = {
  type: 'object',
  properties: { approved: { type: 'boolean' }, feedback: { type: 'string' } },
  required: ['approved'],
}
const answerOf = (response: JsonObject): JsonObject => ({
  type: 'object',
  properties: { response },
  required: ['response'],
})
const question = answerOf({ type: 'string' })

/** The asks of the agent, by the message that causes them. */
export const questions: Readonly<
  Record<string, { readonly ask: PendingAsk; readonly event?: AgentEvent }>
> = {
  approve: {
    ask: {
      id: askId('ask_1'),
      type: 'approval',
      call: callId('c1'),
      schema: approval,
      context: { params: { token: 'sk-planted', to: 'x' } },
    },
  },
  grant: {
    ask: {
      id: askId('ask_1'),
      type: 'approval',
      call: callId('c1'),
      schema: approval,
      context: { params: {}, grant: { tool: 'request', endpoint: 'POST /mails' } },
    },
  },
  question: {
    ask: {
      id: askId('ask_1'),
      type: 'question',
      call: callId('c1'),
      schema: question,
      context: { question: 'Which one?' },
    },
  },
  sure: {
    ask: {
      id: askId('ask_1'),
      type: 'question',
      call: callId('c1'),
      schema: answerOf({ type: 'boolean' }),
      context: { question: 'Sure?' },
    },
    event: {
      type: 'ask_user',
      ask_id: 'ask_1',
      questions: [{ id: 'q1', text: 'Sure?', type: 'boolean' }],
    },
  },
  choose: {
    ask: {
      id: askId('ask_1'),
      type: 'question',
      call: callId('c1'),
      schema: answerOf({ type: 'array', items: { type: 'string' } }),
      context: { question: 'Where?' },
    },
    event: {
      type: 'ask_choice',
      ask_id: 'ask_1',
      question: 'Where?',
      multi: true,
      options: [
        { label: 'Europe', value: 'eu' },
        { label: 'Asia', value: 'ap' },
      ],
    },
  },
  form: {
    ask: {
      id: askId('ask_1'),
      type: 'question',
      call: callId('c1'),
      schema: {
        type: 'object',
        properties: { answers: { type: 'object', properties: { age: { type: 'integer' } } } },
      },
      context: { question: 'A form' },
    },
    event: {
      type: 'ask_user',
      ask_id: 'ask_1',
      questions: [
        { id: 'name', text: 'Name', type: 'text', required: true },
        {
          id: 'age',
          text: 'Age',
          type: 'text',
          required: false,
          schema: { type: 'integer' },
        },
        {
          id: 'size',
          text: 'Size',
          type: 'choice',
          options: [
            { label: 'Small', value: 's' },
            { label: 'Large', value: 'l' },
          ],
          required: false,
          default: 's',
        },
        { id: 'sure', text: 'Sure?', type: 'boolean', required: true },
        {
          id: 'tags',
          text: 'Tags',
          type: 'multi',
          options: [
            { label: 'A', value: 'a' },
            { label: 'B', value: 'b' },
          ],
          required: false,
        },
      ],
    },
  },
}
