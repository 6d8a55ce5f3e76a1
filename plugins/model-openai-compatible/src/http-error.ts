import { textStart } from '@amodal/sdk/data'
import { APICallError } from '@ai-sdk/provider'
import { isRecord, parseJson, textOf } from './json.ts'

/** Of an error's body; it is only read by people. */
const MAX_BODY = 16 * 1024

/**
 * The error for a failed HTTP response, with status, headers (`retry-after`) and the endpoint's
 * message. The prompt is left out, since errors are logged.
 */
export async function httpError(
  response: Response,
  url: string,
  mask: (text: string) => string,
): Promise<APICallError> {
  const responseBody = mask(await readSome(response))
  const said =
    messageIn(parseJson(responseBody)) ?? textOf(response.statusText) ?? 'no reason given'
  return new APICallError({
    message: `${url} answered ${response.status}: ${said}`,
    url,
    requestBodyValues: {},
    statusCode: response.status,
    responseBody,
    responseHeaders: Object.fromEntries(response.headers),
  })
}

/** The forms in use: `{error:{message}}`, `{error}`, `{message}`, `{detail}`. */
function messageIn(body: unknown): string | undefined {
  if (!isRecord(body)) return undefined
  const error = isRecord(body.error) ? body.error.message : body.error
  return textOf(error) ?? textOf(body.message) ?? textOf(body.detail)
}

async function readSome(response: Response): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  try {
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk, { stream: true })
      if (text.length > MAX_BODY) break
    }
  } catch {
    // A body that breaks off still leaves the status.
  }
  return textStart(text, MAX_BODY)
}
