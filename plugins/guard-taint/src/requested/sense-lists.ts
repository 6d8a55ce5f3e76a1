/** Fields by what they are about. */
export const FIELDS = {
  state: 'status state stage phase condition disposition resolution outcome progress fulfillment',
  urgency: 'priority urgency severity importance prio level',
  rights: 'role permission permissions access level type rights membership',
  reach: 'scope visibility audience access sharing share_with',
  period: 'interval period frequency cycle repeat recurrence schedule every billing unit',
  currency: 'currency currency_code ccy',
  kind: 'type kind value_type discount_type unit',
  place: 'environment env target stage',
} as const

/** What words of people stand for in the values that calls know. */
export interface Sense {
  /** Values, and verbs that calls are named with. */
  readonly values: string
  /** Names of fields that have it; any, where none is named. */
  readonly of?: keyof typeof FIELDS
  /** Words, or several with `_` between them; with a star, how one begins. */
  readonly said: string
  /** Where one of these is said as well, it is another sense. */
  readonly not?: string
}

export const SENSES: readonly Sense[] = [
  {
    values:
      'done resolved closed completed complete solved finished resolve close finish fulfilled',
    said: 'done finished solved fixed sorted closed close resolved resolve complete completed finish settled wrap dealt_with taken_care_of tick erledigt fertig gelöst schließ* abschließ* terminé résolu* fermé ferme fermer clôtur* hecho listo resuelt* cerrad* cierr* cerrar fatto risolt* chius* chiud* feito resolvid* pronto pronta fechad* fech* klaar afgerond opgelost sluit* afsluit* gotowe załatwion* rozwiązan* zamkn* 完了 解決 終了 閉*',
    not: 'not_done not_finished reopen still_broken',
  },
  {
    values:
      'pending on_hold hold waiting paused snoozed waiting_on_customer waiting_for_customer pause snooze',
    said: 'pending park parked hold on_hold wait waiting waits snooze pause paused till_he_answers until_they warte* wartet zurückstell* attente attend espera* attesa aspett* aguard* wacht* wstrzym* czeka 保留 待ち',
  },
  {
    values: 'in_progress working started active start progress',
    said: 'in_progress working_on on_it started start underway begun arbeit* begonnen en_cours en_curso in_corso em_andamento bezig w_toku 対応中 進行中',
  },
  {
    values: 'open reopened reopen open_again',
    said: 'reopen reopened open_again back_open broken_again still_broken wieder_offen rouvr* reabr* riapr* heropen* otwórz 再開',
  },
  {
    values: 'won closed_won win',
    of: 'state',
    said: 'won signed win bought_it said_yes gewonnen gagné* ganad* vinta vinto ganho ganha gewonnen wygran* 受注 成約',
  },
  {
    values: 'lost closed_lost',
    of: 'state',
    said: 'lost lose went_with_someone fell_through said_no verloren perdu* perdid* perso persa perdu verloren przegran* 失注 紛失',
  },
  {
    values: 'cancelled canceled cancel void',
    said: "cancel cancelled canceled is_off are_off it's_off its_off call_off called_off abgesagt storniert stornieren annul* cancelad* anulad* geannuleerd anulow* キャンセル",
  },
  {
    values: 'paid settled',
    of: 'state',
    said: 'paid settled bezahlt payé* pagad* pagat* pago pagado betaald zapłacon*',
  },
  {
    values: 'shipped fulfilled dispatched sent',
    of: 'state',
    said: 'shipped dispatched out_the_door went_out sent posted verschickt versandt versendet expédié* enviad* spedit* verzonden wysłan* 発送',
  },
  {
    values: 'delivered received',
    of: 'state',
    said: 'delivered arrived received geliefert angekommen livré* entregad* consegnat* geleverd dostarczon*',
  },
  {
    values: 'approved approve accepted',
    said: 'approve approved okay ok_by_me accept accepted sign_off signed_off genehmigt approuv* aprob* aprov* approv*',
  },
  {
    values: 'rejected declined reject decline',
    said: 'reject rejected decline declined turn_down say_no refuse abgelehnt refus* rechaz* rifiut* recus*',
  },
  {
    values: 'urgent high highest critical top p1 1',
    of: 'urgency',
    said: 'urgent urgently asap emergency critical top top_of_the_pile top_of_the_list top_of_the_queue priority highest important drop_everything right_now dringend eilig urgente* urgent* wichtig importante* prioritaire pilne pilny spoed dringend 緊急 至急 優先',
    not: 'not_urgent no_rush can_wait low lowest',
  },
  {
    values: 'high elevated',
    of: 'urgency',
    said: 'high higher important hoch élevé* haute alta alto hoog wysoki* hoge hohe* elevad* 高',
  },
  {
    values: 'low lowest minor p4',
    of: 'urgency',
    said: 'low lower lowest no_rush no_hurry not_urgent can_wait bottom minor niedrig basse bass* baja baix* laag nisk* 低',
  },
  { values: 'normal medium standard', said: 'normal medium standard ordinary regular usual' },
  {
    values: 'viewer reader read view read_only readonly viewing can_view',
    of: 'rights',
    said: 'look looking view viewing read reading see see_it open read-only viewer reader lesen ansehen lire voir lecture leer ver lettura vedere leggere ler leitura leitor lettore lecteur leser lezer lezen bekijken czyta* przegląda* 閲覧 読み取り',
  },
  {
    values: 'commenter comment',
    of: 'rights',
    said: 'comment commenting comments kommentieren commenter comentar commentare',
  },
  {
    values: 'editor write edit writer contributor can_edit',
    of: 'rights',
    said: 'edit editing write writing editor editor_rights work_on bearbeiten schreiben modifier éditer editar modificare bewerken edytowa* 編集',
  },
  {
    values: 'member user standard employee basic staff',
    of: 'rights',
    said: 'member ordinary normal* regular standard* plain basic staff nothing_fancy employee mitarbeiter* mitglied membre miembro membro lid członek メンバー 一般',
    not: 'admin administrator owner',
  },
  {
    values: 'admin administrator',
    of: 'rights',
    said: 'admin administrator administrateur administrador amministratore beheerder 管理者',
  },
  {
    values: 'guest external',
    of: 'rights',
    said: 'guest visitor external gast invité* invitado ospite convidado ゲスト',
  },
  {
    values: 'organization organisation company internal domain workspace',
    of: 'reach',
    said: 'company internal internally in-house inhouse organization organisation colleagues everyone_here staff_only firma intern interne interno unternehmen entreprise empresa azienda bedrijf 社内',
  },
  {
    values: 'anyone public everyone world anyone_with_link',
    of: 'reach',
    said: 'public publicly anyone everybody everyone anybody anyone_with_the_link open_to_all öffentlich public publica publicar publique públic* pubblic* openbaar publiczn* 公開',
    not: 'company internal nobody_outside organization organisation in-house team colleagues staff',
  },
  {
    values: 'private restricted',
    said: 'private restricted only_me privat privé* privad* privat* prywatn* 非公開',
  },
  {
    values: 'percentage percent',
    of: 'kind',
    said: '% percent percentage prozent pourcent por_ciento per_cento porcento procent in_ten',
  },
  {
    values: 'fixed fixed_amount amount flat',
    of: 'kind',
    said: '€ $ £ euro euros dollars pounds quid eur usd gbp',
  },
  {
    values: 'production prod live',
    of: 'place',
    said: 'production prod live produktion produktiv producción produção produzione productie 本番',
    not: 'staging test',
  },
  { values: 'staging stage', of: 'place', said: 'staging stage preprod' },
  {
    values: 'published live publish',
    said: 'publish published live online go_live veröffentlich* publié* publier publica* pubblic* gepubliceerd opublik* 公開',
    not: 'unpublish draft offline',
  },
  {
    values: 'draft unpublished',
    said: 'draft drafts entwurf brouillon borrador bozza rascunho concept 下書き',
  },
  {
    values: 'archived inactive archive',
    said: 'archive archived archiv* arquiv* mothball アーカイブ',
  },
  {
    values: 'active enabled enable activate',
    said: 'active activate enable enabled back_on turn_on switch_on aktiv* activ* attiv* ativ* 有効',
  },
  {
    values: 'discontinued discontinue',
    said: 'discontinue discontinued retire retired phase_out phased_out',
  },
  {
    values: 'inactive disabled disable deactivate',
    said: 'inactive deactivate disable disabled turn_off switch_off deaktiv* désactiv* desactiv* disattiv* 無効',
  },
  {
    values: 'maintenance',
    said: 'maintenance wartung mantenimiento manutenzione manutenção onderhoud',
  },
  {
    values: 'out_of_stock sold_out unavailable',
    said: 'out_of_stock sold_out none_left unavailable ausverkauft rupture épuisé agotado esaurito esgotado uitverkocht 売り切れ',
  },
  { values: 'vip', said: 'vip' },
  {
    values: 'daily day',
    of: 'period',
    said: 'daily a_day per_day every_day each_day täglich par_jour diari* al_giorno por_dia dag',
  },
  {
    values: 'weekly week',
    of: 'period',
    said: 'weekly a_week per_week every_week each_week wöchentlich par_semaine semana settimana per_week',
  },
  {
    values: 'monthly month',
    of: 'period',
    said: 'monthly a_month per_month every_month each_month monatlich par_mois al_mes mese mês maand',
  },
  {
    values: 'yearly annual year annually',
    of: 'period',
    said: 'yearly annual annually a_year per_year every_year jährlich  año anno por_ano jaar',
  },
  {
    values: 'duplicate',
    said: 'duplicate duplicated twice double doubled doppelt double doppio doble duplicad* dubbel 重複',
  },
  {
    values: 'accepted yes attending accept going',
    said: 'accept accepted yes attend attending coming going be_there',
  },
  {
    values: 'declined no decline not_attending',
    said: "decline declined no skip cannot can't_make won't",
  },
  { values: 'eur', of: 'currency', said: '€ eur euro euros' },
  { values: 'usd', of: 'currency', said: '$ usd dollar dollars bucks' },
  { values: 'gbp', of: 'currency', said: '£ gbp pound pounds quid' },
  { values: 'chf', of: 'currency', said: 'chf franken francs sfr' },
  { values: 'jpy', of: 'currency', said: '¥ jpy yen 円' },
  { values: 'brl', of: 'currency', said: 'reais real r$ brl' },
  { values: 'pln', of: 'currency', said: 'pln zł złoty* złot*' },
  { values: 'de german', said: 'german deutsch* allemand alemán tedesco' },
  { values: 'en english', said: 'english englisch anglais inglés inglese' },
  { values: 'fr french', said: 'french französisch français* francés' },
  { values: 'es spanish', said: 'spanish spanisch español espagnol' },
]

/** Values that give more than the least: they have to stand where they are asked for. */
export const WIDE: ReadonlySet<string> = new Set(
  'editor write edit writer contributor can_edit admin administrator anyone public everyone world anyone_with_link production prod live published publish approved approve accepted paid settled enabled enable active'.split(
    ' ',
  ),
)
