/**
 * Characters that are not seen: control, zero width, direction marks, tags, variation selectors.
 */
const UNSEEN =
  /[\u{0}-\u{8}\u{B}-\u{1F}\u{7F}-\u{9F}\u{AD}\u{200B}-\u{200F}\u{202A}-\u{202E}\u{2060}-\u{206F}\u{FE00}-\u{FE0F}\u{FEFF}\u{E0000}-\u{E007F}]/gu

/**
 * A text as texts are compared: one form of each letter, no case, nothing unseen, one space where
 * there is space.
 */
export function normalText(text: string): string {
  return text.normalize('NFKC').replace(UNSEEN, '').replace(/\s+/g, ' ').trim().toLowerCase()
}
