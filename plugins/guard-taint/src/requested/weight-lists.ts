/**
 * Words of paths, verbs and fields of deeds that do great harm where nobody wanted them: they have
 * to be asked for by a verb, in the clause that asks.
 */
export const HEAVY_DEEDS: ReadonlySet<string> = new Set(
  `delete remove purge erase wipe drop trash empty destroy bin
   pay payment payout transfer wire refund credit charge signatory withdraw withdrawal invoice autopay checkout purchase
   permission role access share link admin administrator owner grant member group team collaborator guest invitation invite follower
   password two-factor twofactor 2fa mfa otp factor session token key secret credential login sso impersonate deactivate disable enable unlock activate
   forward forwarding forwarder redirect delegate webhook hook integration subscription export import download backup
   deploy deployment rollback release restart scale stop environment flag macro migration restore
   approve authorize authorise void merge publish announce broadcast terms accept block unblock freeze unfreeze card limit standing order orders`.split(
    /\s+/,
  ),
)
/** Fields that say who may do what, how much, and where things go. */
export const HEAVY_FIELDS: ReadonlySet<string> = new Set(
  `role permission access scope visibility public private limit admin administrator owner superuser password secret token key two factor mfa otp forward forwarding redirect
   url webhook callback iban account bic approval consent auto autopay renew retention credit`.split(
    /\s+/,
  ),
)
