type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

const isObject = (value: Json | undefined): value is { readonly [key: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value)

/** Whether a text is what a page says, where `…` stands for anything. */
export const textFits = (told: string, text: string): boolean =>
  new RegExp(
    `^${told
      .trim()
      .split('…')
      .map((part) => part.replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&'))
      .join('[^]*?')}$`,
  ).test(text.trim())

/**
 * Where a value is not what a page says. In texts `…` stands for anything; the key `"…"` for more
 * fields, `"…"` at the end of a list for more items, and as a value for any value.
 */
export function jsonMisfit(told: Json, value: Json | undefined, path = ''): string | undefined {
  const differs = `${path || 'the value'} is ${JSON.stringify(value)}, and the page says ${JSON.stringify(told)}`
  if (told === '…') return value === undefined ? differs : undefined
  if (typeof told === 'string')
    return typeof value === 'string' && textFits(told, value) ? undefined : differs
  if (isList(told)) {
    const open = told.at(-1) === '…'
    const items = open ? told.slice(0, -1) : told
    if (!isList(value) || (open ? value.length < items.length : value.length !== items.length))
      return differs
    return items
      .map((item, at) => jsonMisfit(item, value[at], `${path}[${at}]`))
      .find((misfit) => misfit !== undefined)
  }
  if (isObject(told)) {
    if (!isObject(value)) return differs
    const more = Object.keys(value).filter((key) => !Object.hasOwn(told, key))
    if (more.length > 0 && !Object.hasOwn(told, '…'))
      return `${path || 'the value'} also has ${more.join(', ')}`
    return Object.entries(told)
      .filter(([key]) => key !== '…')
      .map(([key, inner]) => jsonMisfit(inner, value[key], path === '' ? key : `${path}.${key}`))
      .find((misfit) => misfit !== undefined)
  }
  return told === value ? undefined : differs
}

interface Frame {
  readonly id: string
  readonly event: string
  readonly data: string
}

const framesOf = (stream: string): readonly (Frame | '…')[] =>
  stream
    .trim()
    .split(/\n{2,}/)
    .map((text) => {
      if (text.trim() === '…') return '…'
      const field = (name: string): string =>
        new RegExp(`^${name}: (.*)$`, 'm').exec(text)?.[1] ?? ''
      return { id: field('id'), event: field('event'), data: field('data') }
    })

/**
 * Where a stream of events is not what a page says. A frame `…` stands for any number of frames.
 */
export function streamMisfit(told: string, stream: string): string | undefined {
  const wanted = framesOf(told)
  const sent = framesOf(stream).filter(
    (frame): frame is Frame => frame !== '…' && frame.event !== '',
  )
  let at = 0
  let skips = false
  let why: string | undefined
  for (const frame of wanted) {
    if (frame === '…') {
      skips = true
      continue
    }
    do {
      const next = sent[at]
      why = next ? frameMisfit(frame, next) : `the stream ends before ${frame.event} ${frame.data}`
    } while (at++ < sent.length && skips && why !== undefined)
    if (why !== undefined) return why
    skips = false
  }
  return skips || at === sent.length ? undefined : `the stream goes on with ${sent[at]?.event}`
}

function frameMisfit(told: Frame, sent: Frame): string | undefined {
  if (told.event !== sent.event)
    return `the event is ${sent.event}, and the page says ${told.event}`
  if (!textFits(told.id, sent.id))
    return `the id of ${sent.event} is ${sent.id}, and the page says ${told.id}`
  return jsonMisfit(JSON.parse(told.data), JSON.parse(sent.data), sent.event)
}
