import type OpenAI from 'openai'

/** JSON Schema of {@link Summary}. */
const SUMMARY = {
  type: 'object',
  properties: {
    open: { type: 'integer', minimum: 0 },
    ids: { type: 'array', items: { type: 'string' } },
  },
  required: ['open', 'ids'],
  additionalProperties: false,
}

export interface Summary {
  readonly open: number
  readonly ids: readonly string[]
}

/**
 * Asks the agent in three ways: a streamed answer, a question about it in the same conversation,
 * and an answer as JSON.
 *
 * @param client with the server's address, and `/v1`, as its `baseURL`
 * @param model the name of the agent
 * @param write is called with the text of the first answer, as it comes
 */
export async function conversation(
  client: OpenAI,
  model: string,
  write: (text: string) => void,
): Promise<{ readonly followUp: string; readonly summary: Summary }> {
  const stream = client.responses.stream({ model, input: 'Which incidents are open?' })
  stream.on('response.output_text.delta', ({ delta }) => write(delta))
  const first = await stream.finalResponse()

  const second = await client.responses.create({
    model,
    previous_response_id: first.id,
    input: 'Since when?',
  })

  // Chat completions send the conversation with each request; this one begins another.
  const completion = await client.chat.completions.create({
    model,
    messages: [{ role: 'user', content: 'Sum up the open incidents.' }],
    response_format: {
      type: 'json_schema',
      json_schema: { name: 'summary', schema: SUMMARY, strict: true },
    },
  })
  // the server has checked that it fits the schema
  const summary = JSON.parse(completion.choices[0]?.message.content ?? '') as Summary
  return { followUp: second.output_text, summary }
}
