const RESERVED = new Set(
  (
    'arguments await break case catch class const continue debugger default delete do else enum eval export extends ' +
    'false finally for function if implements import in instanceof interface let new null package private protected public return ' +
    'static super switch this throw true try typeof undefined var void while with yield'
  ).split(' '),
)
const LONGEST = 40

/**
 * Why a plugin cannot have this name; `undefined` where it can.
 *
 * @param {string} name
 * @returns {string | undefined}
 */
export function problemOfName(name) {
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name))
    return `"${name}" is no plugin name: use small letters, digits and single hyphens, as in "tools-weather".`
  if (name.length > LONGEST)
    return `"${name}" is too long for a plugin name: ${LONGEST} characters at most, and it has ${name.length}.`
  if (RESERVED.has(name))
    return `"${name}" is a word of JavaScript and cannot be exported. Choose another name.`
  return undefined
}

/**
 * The name of what a plugin exports: `tools-weather` → `toolsWeather`.
 *
 * @param {string} name
 */
export const constantOf = (name) => name.replace(/-(.)/g, (_, letter) => letter.toUpperCase())
