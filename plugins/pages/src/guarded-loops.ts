import type { AnyNode, Statement } from 'acorn'

/**
 * In every loop of a page. The error is thrown by the page's own code: of one that another script
 * throws, a browser says nothing but "Script error".
 */
const TICK = 'if(__amodal.isLate())throw __amodal.lateError();'

interface Insertion {
  readonly at: number
  readonly text: string
}

/**
 * The same code, in which every loop looks at the clock. A frame may share its process with the
 * window around, so a loop without an end would stop that, too. Lines stay where they are.
 */
export async function guardedLoops(code: string): Promise<string> {
  const { parse } = await import('acorn')
  const insertions: Insertion[] = []
  const visit = (node: AnyNode): void => {
    const body = bodyOf(node)
    if (body?.type === 'BlockStatement') insertions.push({ at: body.start + 1, text: TICK })
    else if (body)
      insertions.push({ at: body.start, text: `{${TICK}` }, { at: body.end, text: '}' })
    for (const child of Object.values(node) as readonly unknown[])
      for (const one of Array.isArray(child) ? (child as readonly unknown[]) : [child])
        if (isNode(one)) visit(one)
  }
  visit(parse(code, { ecmaVersion: 'latest', sourceType: 'script' }))
  // From the end, so that the offsets before stay right. Where one loop is the body of another,
  // both end in the same place.
  return insertions
    .map((insertion, order) => ({ ...insertion, order }))
    .sort((a, b) => b.at - a.at || b.order - a.order)
    .reduce((text, { at, text: added }) => text.slice(0, at) + added + text.slice(at), code)
}

function bodyOf(node: AnyNode): Statement | undefined {
  switch (node.type) {
    case 'ForStatement':
    case 'ForInStatement':
    case 'ForOfStatement':
    case 'WhileStatement':
    case 'DoWhileStatement':
      return node.body
    default:
      return undefined
  }
}

/** Whatever of a syntax tree has a type is a part of it. */
export const isNode = (value: unknown): value is AnyNode =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'
