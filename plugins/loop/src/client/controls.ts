import type { InboxBody, InboxItem } from '@amodal/sdk'
import { parseExact } from '@amodal/sdk/data'

/** Whether a control cancels the run. */
export const isCancel = (item: InboxItem): boolean =>
  (parseExact(item.body) as InboxBody).kind === 'cancel' // written by `cancel`
