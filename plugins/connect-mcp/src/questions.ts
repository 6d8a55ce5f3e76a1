import { ok, type Failure, type Result } from '@amodal/sdk'
import type {
  ElicitRequestParams,
  InputRequests,
  InputResponses,
} from '@modelcontextprotocol/client'
import type { AskedParams } from './asked-params.ts'
import type { Lending, ToolCall } from './call.ts'
import { UnansweredError, UnshowableError } from './call-errors.ts'
import type { Elicitation, ElicitationAnswer } from './elicitation.ts'
import { samplingQuestion } from './sampling.ts'

/**
 * A question as it may be shown. Of those that differ only in what was taken out of them each is
 * another one, so that the answer to the first is not taken for one to the next.
 */
export async function readIn(
  asks: Map<string, number>,
  params: AskedParams,
  { read }: ToolCall,
): Promise<Result<Elicitation, Failure>> {
  const elicitation = await read(params)
  if (!elicitation.ok || !elicitation.value.isCleaned) return elicitation
  const { key } = elicitation.value
  const nth = (asks.get(key) ?? 0) + 1
  asks.set(key, nth)
  return ok({ ...elicitation.value, key: `${key}:${nth}` })
}

/** What an answer says of the question by its key; the first that nobody has answered yet. */
export async function answersTo(
  requests: InputRequests,
  read: (params: AskedParams) => Promise<Result<Elicitation, Failure>>,
  { answerTo, model }: ToolCall,
  lending: Lending,
): Promise<{ readonly asks?: Elicitation; readonly responses: InputResponses }> {
  const responses: InputResponses = {}
  const ask = async (
    params: AskedParams,
  ): Promise<{ readonly asks: Elicitation; readonly answer: ElicitationAnswer | undefined }> => {
    const elicitation = await read(params)
    if (!elicitation.ok) throw new UnshowableError(elicitation.error)
    return { asks: elicitation.value, answer: answerTo(elicitation.value) }
  }
  for (const [key, request] of Object.entries(requests)) {
    switch (request.method) {
      case 'elicitation/create': {
        const question = questionIn(request.params, lending)
        if (question === undefined)
          throw new UnansweredError(
            'it asks to open an address (URL elicitation), which this agent does not do',
          )
        const { asks, answer } = await ask(question)
        if (!answer) return { asks, responses }
        responses[key] = request.params.mode === 'url' ? { action: answer.action } : { ...answer }
        break
      }
      case 'roots/list':
        responses[key] = { roots: [...lending.roots] }
        break
      case 'sampling/createMessage': {
        if (!model)
          throw new UnansweredError(
            'it asks for the model of this agent (sampling), which it may not use',
          )
        if (model.asksFirst) {
          const { asks, answer } = await ask(samplingQuestion(request.params))
          if (!answer) return { asks, responses }
          if (answer.action !== 'accept')
            throw new UnansweredError('the person does not let it ask the model of this agent')
        }
        responses[key] = await model.sample(request.params)
        break
      }
    }
  }
  return { responses }
}

/**
 * A question as a person is asked it; `undefined`: it may not be asked. Nothing opens an address:
 * the person reads it, and opens it if they trust it.
 */
export function questionIn(
  params: ElicitRequestParams,
  { urls }: Lending,
): AskedParams | undefined {
  if (params.mode !== 'url') return params
  const url = URL.parse(params.url)
  if (!urls || url?.protocol !== 'https:') return undefined
  return {
    message: `${params.message}\n\nOpen this address of ${url.host} yourself, if you trust it, and accept once you are done:\n${url.href}`,
  }
}
