import { isNameLike, wordsOf } from '../names.ts'

/**
 * Last words of what columns are called nearly everywhere; a first row without any of them may be a
 * row like the others.
 */
const COLUMNS: ReadonlySet<string> = new Set([
  'id',
  'uuid',
  'guid',
  'key',
  'name',
  'title',
  'type',
  'kind',
  'status',
  'statu',
  'state',
  'date',
  'time',
  'timestamp',
  'at',
  'email',
  'mail',
  'phone',
  'plan',
  'amount',
  'total',
  'price',
  'count',
  'quantity',
  'qty',
  'number',
  'no',
  'nr',
  'description',
  'note',
  'comment',
  'value',
  'code',
  'url',
  'city',
  'country',
  'region',
  'street',
  'zip',
  'address',
  'currency',
  'owner',
  'user',
  'customer',
  'contact',
  'account',
  'order',
  'category',
  'level',
  'role',
  'created',
  'updated',
  'field',
  'column',
  'label',
  'index',
])

/** Whether a row says what the rows below it hold. */
export function isHeader(
  row: readonly unknown[],
  isRestricted: (name: string) => boolean,
): row is readonly string[] {
  if (
    row.length === 0 ||
    !row.every((cell): cell is string => typeof cell === 'string' && isNameLike(cell))
  )
    return false
  const names = row.map((cell) => cell.trim().toLowerCase())
  if (new Set(names).size < names.length && !row.some(isRestricted)) return false
  return row.some((cell) => isRestricted(cell) || COLUMNS.has(wordsOf(cell).at(-1) ?? ''))
}
