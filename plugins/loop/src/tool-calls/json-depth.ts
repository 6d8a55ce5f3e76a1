/** The deepest nesting of JSON in arguments and results, the same as for requests to the server. */
export const DEEPEST = 64

const [QUOTE, BACKSLASH, BRACKET, BRACE] = [0x22, 0x5c, 0x5b, 0x7b]

/** Whether JSON text is nested too deeply. Brackets within strings are not counted. */
export function isDeep(json: string): boolean {
  if (json.length <= DEEPEST) return false
  let level = 0
  let isText = false
  for (let at = 0; at < json.length; at++) {
    const char = json.charCodeAt(at)
    if (isText) {
      if (char === BACKSLASH) at++
      else if (char === QUOTE) isText = false
    } else if (char === QUOTE) isText = true
    else if (char === BRACKET || char === BRACE) {
      if (++level > DEEPEST) return true
    } else if (char === BRACKET + 2 || char === BRACE + 2) level--
  }
  return false
}
