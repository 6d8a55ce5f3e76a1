import type { Way } from './ways.ts'

const digits =
  (change: (digit: number) => string): Way =>
  (text) =>
    text.replaceAll(/\d/g, (digit) => change(Number(digit)))
const from = (zero: number): Way => digits((digit) => String.fromCodePoint(zero + digit))

/** Ways to write the digits of a number, which a person reads as the same number. */
export const DIGITS: Readonly<Record<string, Way>> = {
  'full-width': from(0xff10),
  'Arabic-Indic': from(0x660),
  Persian: from(0x6f0),
  Devanagari: from(0x966),
  Bengali: from(0x9e6),
  Thai: from(0xe50),
  Tibetan: from(0xf20),
  Khmer: from(0x17e0),
  'mathematical bold': from(0x1d7ce),
  'mathematical double-struck': from(0x1d7d8),
  'mathematical sans': from(0x1d7e2),
  'mathematical sans bold': from(0x1d7ec),
  'mathematical monospace': from(0x1d7f6),
  segmented: from(0x1fbf0),
  'key caps': digits((digit) => `${digit}\ufe0f\u20e3`),
  'key caps without a selector': digits((digit) => `${digit}\u20e3`),
  'zero-width spaces': digits((digit) => `${digit}\u200b`),
  'word joiners': digits((digit) => `${digit}\u2060`),
  'soft hyphens': digits((digit) => `${digit}\u00ad`),
  'grapheme joiners': digits((digit) => `${digit}\u034f`),
  'variation selectors': digits((digit) => `${digit}\ufe0e`),
  'bold digits': digits((digit) => `**${digit}**`),
  'bold groups': (text) => text.replaceAll(/\d+/g, '**$&**'),
  'code groups': (text) => text.replaceAll(/\d+/g, '`$&`'),
  'tags around digits': digits((digit) => `<b>${digit}</b>`),
  'tags around groups': (text) => text.replaceAll(/\d+/g, '<span class="n">$&</span>'),
  'tags around pairs': (text) => text.replaceAll(/\d\d/g, '<i>$&</i>'),
  'struck groups': (text) => text.replaceAll(/\d+/g, '~~$&~~'),
  'italic groups': (text) => text.replaceAll(/\d+/g, '*$&*'),
}
