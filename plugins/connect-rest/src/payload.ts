import { err, isList, isObject, type Json, ok, type Result } from '@amodal/sdk'

const FORM = 'application/x-www-form-urlencoded'

/** The bytes of a body and what they are: a form where the caller says so, else JSON; a text is sent as it stands. */
export function payloadOf(body: Json, contentType: string | undefined): Result<{ readonly body: string; readonly contentType: string }, string> {
  if (contentType?.toLowerCase().startsWith('multipart/') === true) return err('multipart bodies cannot be sent: use JSON or a form')
  if (typeof body === 'string') return ok({ body, contentType: contentType ?? (isJson(body) ? 'application/json' : 'text/plain; charset=utf-8') })
  if (contentType?.toLowerCase().startsWith(FORM) !== true) return ok({ body: JSON.stringify(body), contentType: contentType ?? 'application/json' })
  if (!isObject(body)) return err('a form is an object of texts and numbers')
  const form = new URLSearchParams()
  for (const [name, value] of Object.entries(body)) {
    for (const one of isList(value) ? value : [value]) {
      if (typeof one === 'object' && one !== null) return err(`the field "${name}" of the form is no text`)
      if (one !== null) form.append(name, String(one))
    }
  }
  return ok({ body: form.toString(), contentType })
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
