import type { CustomTool } from './custom-tool.ts'

type Tier = Pick<CustomTool, 'tier' | 'hidden'>
const TIERS: Readonly<Record<string, Tier>> = {
  false: { tier: 'allow', hidden: false },
  allow: { tier: 'allow', hidden: false },
  true: { tier: 'confirm', hidden: false },
  confirm: { tier: 'confirm', hidden: false },
  review: { tier: 'review', hidden: false },
  never: { tier: 'allow', hidden: true },
}

/** What `confirm` of a definition means. */
export const tierOf = (confirm: boolean | string): Tier =>
  TIERS[String(confirm)] ?? { tier: 'review', hidden: false }
