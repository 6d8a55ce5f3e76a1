/** What texts call the number of an account, and of a bank, in the languages of most banks. */
const NO = String.raw`(?:num[ée]ro|number|nummer|numer|nomor|num|no|nr|nbr|n[°ºr]|n\.[°º]|n(?=\.)|#|№)\.?`
/** Between two words of a name. */
const S = String.raw`[\s_-]{0,3}`

const ACCOUNT = [
  String.raw`accounts?(?:${S}${NO})?`,
  String.raw`acct\.?(?:${S}${NO})?`,
  String.raw`acc\.?(?:${S}${NO})?`,
  String.raw`ac${S}${NO}`,
  String.raw`a\/c(?:${S}${NO})?`,
  String.raw`dda`,
  String.raw`direct${S}deposit`,
  String.raw`(?:bank|giro|spar|gehalts|referenz|l[øo]nn?s?)?konto(?:${S}${NO})?(?:\s+mit(?:\s+der)?\s+${NO})?`,
  String.raw`kto\.?(?:${S}${NO})?`,
  String.raw`bankverbindung`,
  String.raw`compte(?:\s+(?:bancaire|courant|ch[èe]ques?|d['’][ée]pargne))?(?:${S}${NO})?`,
  String.raw`(?:num[ée]ro|no|n[°º])\.?\s+d[eu]\s+compte(?:\s+bancaire)?`,
  String.raw`(?:n[úu]mero|num|n[°º]|n\.[°º]|nro)\.?\s+d[ea]\s+(?:la\s+)?(?:cuenta|conta)(?:\s+(?:banc[áa]ri[ao]|corriente|corrente|clabe))?`,
  String.raw`(?:cuenta|cta\.?)(?:\s+(?:bancaria|corriente|cte\.?|clabe|de\s+(?:ahorros?|cheques|n[óo]mina)))?(?:${S}${NO})?`,
  String.raw`clabe(?:\s+interbancaria)?(?:${S}${NO})?`,
  String.raw`c\/c(?:${S}${NO})?`,
  String.raw`conta(?:\s+(?:banc[áa]ria|corrente|poupança|sal[áa]rio))?(?:${S}${NO})?`,
  String.raw`(?:(?:numero|n\.)\s+(?:di\s+|del\s+)?)?conto(?:\s+(?:corrente|bancario))?(?:${S}${NO})?`,
  String.raw`(?:(?:numer|nr\.?)\s+)?(?:konta|rachunku)(?:\s+bankowego)?`,
  String.raw`rachunek(?:\s+bankowy)?(?:${S}${NO})?`,
  String.raw`(?:bank|spaar|betaal)?rekening(?:${S}${NO})?`,
  String.raw`(?:no\.?|nomor)?\s{0,3}rek\.?(?:${S}${NO})?`,
  String.raw`(?:banka\s+)?hesa(?:p|b[ıi])(?:\s+(?:no|numaras[ıi]))?`,
  String.raw`č(?:íslo|\.)\s{0,3}účtu`,
  String.raw`(?:bank)?számlaszám(?:a|om)?`,
  String.raw`cont(?:ul)?\s+bancar`,
  String.raw`tilinumero|pankkitili`,
  String.raw`(?:số\s+)?tài\s+khoản`,
  String.raw`(?:номер\s+|(?:расч[её]тн|лицев|банковск)\S{2,4}\s+)сч[её]т[ау]?(?:${S}${NO})?`,
  String.raw`[рл]\/сч?(?:${S}${NO})?`,
  String.raw`рахун(?:ок|ку)(?:${S}${NO})?`,
  String.raw`(?:αριθμ[όο]ς\s+)?λογαριασμ(?:[όο]ς|ο[ύυ])`,
]
/** Of scripts that put words together without a space. */
const JOINED = [
  String.raw`口座(?:番号)?|普通(?:預金)?|当座(?:預金)?|振込先`,
  String.raw`(?:账|帳|帐)(?:号|號)|(?:账户|帳戶|帐户)(?:号码|號碼)?|(?:户口|戶口)(?:号码|號碼)`,
  String.raw`계좌\s{0,3}(?:번호)?`,
  String.raw`(?:खाता|खाते)(?:\s*(?:संख्या|नंबर|क्रमांक|सं\.?))?`,
  String.raw`(?:رقم\s+)?(?:ال)?حساب(?:\s+(?:ال)?(?:بنكي|مصرفي))?`,
  String.raw`(?:מספר\s+)?חשבון(?:\s+בנק)?`,
  String.raw`เลข(?:ที่)?บัญชี`,
]
const JAPANESE = JOINED[0] ?? ''
const ROUTING = [
  String.raw`(?:aba${S})?routing(?:${S}(?:transit|code))?(?:${S}${NO})?`,
  String.raw`\baba(?:${S}(?:rtn|${NO}))?`,
  String.raw`\brtn`,
]

/**
 * What may stand between a name and its number: signs, a bracket with another name, and a small
 * word or two.
 */
const LINK = [
  String.raw`(?:\s{0,3}\([^()\d\n]{1,24}\))?(?:\.{2,}\s{0,3})?[\s"'«„*_\x60:=#>|,(\[-]{0,8}`,
  String.raw`(?:(?:es\s+l[ae]|est\s+le|ist\s+die|is|was|are|to|from|ist|lautet|est|es|é|e|de|von|auf|reads|set to)[\s:"'*\x60]{1,4}|[はがのに]\s?)?`,
  String.raw`(?:${NO}[\s:"'*]{0,4})?$`,
].join('')
const BEFORE = String.raw`(?<![\p{L}\d/-])(?:bank${S})?`

export const NAMES_ACCOUNT = new RegExp(
  String.raw`(?:${BEFORE}(?:${ACCOUNT.join('|')})|${JOINED.join('|')})${LINK}`,
  'iu',
)
export const NAMES_JAPANESE = new RegExp(String.raw`(?:${JAPANESE})${LINK}`, 'u')
export const NAMES_ROUTING = new RegExp(
  String.raw`(?<![\p{L}\d/-])(?:${ROUTING.join('|')})${LINK}`,
  'iu',
)
export const IN_HEAD = new RegExp(
  String.raw`(?<!\p{L})(?:${[...ACCOUNT, ...ROUTING].join('|')})(?!\p{L})|${JOINED.join('|')}`,
  'iu',
)
export const NAMED_BEHIND = new RegExp(
  String.raw`^["'*\u0060)]{0,2}\s*(?:,\s*)?(?:is|was|=|\(|as|ist|est|es|é)\s*(?:the|our|my|his|her|their|your|die|le|la|el|o)?\s*(?:sort${S}code\s+(?:and|&)\s+)?(?:bank\s*)?(?:${ACCOUNT.slice(0, 4).join('|')}|(?:aba\s*)?routing\s*${NO})(?!\p{L})`,
  'iu',
)

/**
 * The code of a bank or branch, which its accounts stand behind: sort code, BSB, IFSC, transit,
 * Bankleitzahl, agência.
 */
const BANK = String.raw`bsb|sort${S}code|s\/c|bacs|ifsc(?:${S}code)?|routing(?:\s?\/\s?account)?|aba|blz|transit|clearing|rib|bank\s+details|ag(?:[êe]ncia|\.)?`
const CODE = String.raw`[A-Z]{4}0[A-Z\d]{6}|\d{2}[ -]?\d{2}[ -]?\d{2}|\d{3}[ -]?\d{3}|\d{5}(?:[ -]\d{3}|\s\d{5})?|\d{8,9}|\d{4}(?:-\d)?`
export const BEHIND_BANK = new RegExp(
  String.raw`(?<![\p{L}\d/-])(?:${BANK})(?:${S}${NO})?[\s"'*:=#]{0,4}(?:to\s)?(?:${CODE})["'*]{0,2}[\s,;:/|·–-]{1,4}(?:[a-z]{1,4}[\s.:#]{1,3})?$`,
  'iu',
)

/** Whether anything in a text may name an account. */
export const NAMES_BANK = new RegExp([...ACCOUNT, ...JOINED, ...ROUTING, BANK].join('|'), 'iu')
