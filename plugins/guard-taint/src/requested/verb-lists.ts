/** `heads`: words that calls are named with; `words`: words that ask for such a call. */
export interface VerbList {
  readonly heads: string
  readonly words: string
  /** The same in other languages; with a star, how they begin. */
  readonly foreign?: string
}

/** Verbs by what they ask for; each may be in several lists. */
export const VERB_LISTS: Readonly<Record<string, VerbList>> = {
  create: {
    heads: 'create add insert post put make register',
    words: `open start begin schedule draft write compose enter log record raise file submit publish upload save plan arrange generate prepare issue place enroll attach note jot capture
      include set apply stick pop slot pencil remind`,
    foreign: `mach mache machen fais faire faites haz hacer haga fai fare faz fazer faça zrób anlegen lege leg erstell* hinzufüg* füge füg eintrag* trage trag erzeug* schreib* notier* plane öffne eröffne* ajout* crée créer créez ouvr* inscri* planifi* mets mettez mettre note
      crea crear cree añad* agreg* abr* apunt* anot* pon poner ponga aggiung* crei creare metti mettere mett* inserisc* apri segna annota scrivi adicion* crie criar coloc* põe ponha regist* marca marque agend*
      maak maken toevoeg* voeg zet noteer* plan inplannen dodaj* utwórz stwórz zapisz wpisz dopisz załóż umów 作成 追加 登録 入* 書* 作*`,
  },
  send: {
    heads: 'send mail email message notify dm sms',
    words: `write reply respond answer forward tell inform text ping share post remind announce broadcast deliver ask thank submit congratulate drop shoot warn advise alert apologise apologize update brief`,
    foreign: `sende senden schick* schreib* antworte antworten informier* benachrichtig* sag sagt teile mitteil* envoi* envoy* répond* écri* préviens préven* prévien* informe informa informar informez informer informeer avert* dis dites dire
      enví* envie envia enviar manda mandar mande mándale mandale respond* escrib* avisa avisar avise avísale dile dígale diga decir invia inviare scriv* rispond* avvis* dì dica digli dille comunic* envie mande escrev* avise diga diz stuur* mailen mailt berichten antwoord* laat vertel* zeg
      wyślij wysłać napisz powiadom daj odpowiedz przekaż powiedz 送信 送* 連絡 伝* 返信 知* メール 書*`,
  },
  reply: {
    heads: 'reply respond answer',
    words: 'write tell say',
    foreign: 'antworte antworten répond* respond* rispond* antwoord* odpowiedz odpisz 返信 回答',
  },
  forward: {
    heads: 'forward relay',
    words: 'pass share send',
    foreign:
      'weiterleit* leite transfèr* transfér* reenví* reenvi* inoltr* encaminh* doorstur* przekaż 転送',
  },
  change: {
    heads: 'update change edit modify set put patch adjust',
    words: `correct fix rename move mark replace amend extend reschedule shift switch convert increase decrease raise lower reduce bump upgrade downgrade turn revise rewrite give
      drop cut push bring make call swap stretch shorten lengthen prolong rate flag label tag park double halve postpone delay prioritise prioritize escalate deescalate`,
    foreign: `mach mache machen maak maken fais faire faites haz hacer haga fai fare faz fazer faça zrób nimm nehmen nehme neem leg legen lege eintrag* trage trag änder* eintrag* trage trag aktualisier* korrigier* setz* verschieb* markier* stell stelle stellen erhöh* senk* reduzier* modifie modifier modifiez modifica modificare modificar corrige corriger corrigez corrigir corrija mets mettez mettre changer changez déplac* décal* augment* baiss* rédui* reporter reportez
      cambi* actualiz* pon poner ponga muev* mover sube subir baja bajar aument* aggiorn* spost* corregg* imposta impostare alza abbassa sposta muda mudar mude alter* atualiz* mova mover adia adiar adie wijzig* verander* verplaats* verzet zet pas aanpass* verhoog* verlaag*
      zmień zmieni* ustaw* przenieś przesuń popraw* zaktualizuj* podnieś obniż 変更 更新 修正 移動 設定 変* 上* 下*`,
  },
  remove: {
    heads: 'delete remove drop erase trash discard',
    words: 'unshare purge wipe bin scrap ditch scrub nuke destroy',
    foreign: `lösch* entfern* supprim* effac* retire retirer retirez enlèv* enlev* élimin* elimina eliminare eliminar elimine borr* quita quitar quite suprime suprimir cancella cancellare cancelli rimuov* togli togliere apag* remova remover remove exclu* exclui* verwijder* wis schrap* haal
      usuń usun* skasuj* wykreśl 削除 消* 取*`,
  },
  clear: { heads: 'clear empty', words: 'clean', foreign: 'leer* leere vide vider vacía svuota' },
  unsubscribe: {
    heads: 'unsubscribe unfollow',
    words: 'leave',
    foreign: 'abbestell* désabonn* désinscri* disiscriv* uitschrijf* wypisz',
  },
  cancel: {
    heads: 'cancel',
    words: 'abort scrap scratch drop',
    foreign: `stornier* absag* annul* cancela cancelar cancele cancella cancellare cancelli disdici disdire disdic* anula anular anule annuleer* afzeg* odwołaj anuluj* キャンセル 取* 中止`,
  },
  pay: {
    heads: 'pay transfer wire remit',
    words: 'settle reimburse donate',
    foreign:
      'bezahl* zahl* überweis* paie paies paient paye payer payez payez vire virer virez règle régler paga pagar pague pagare paghi transfier* transfere transferir transferiere transfir* bonific* paga betaal* overmak* maak zapłać przelej opłać 支払* 振* 振込 送金',
  },
  refund: {
    heads: 'refund reimburse',
    words: 'return',
    foreign:
      'stort erstatt* rembours* reembols* devuelv* devolv* rimbors* terugbetal* terugstort* zwróć zwrot 返金 払*',
  },
  buy: {
    heads: 'buy purchase order',
    words: 'get',
    foreign:
      'kauf* bestell* achèt* achet* commander commandez compr* pide pedir ordina ordinare acquist* peça encomend* koop kopen bestel bestellen kup zamów 購入 注文 買*',
  },
  book: {
    heads: 'book reserve schedule',
    words: 'arrange order rent hire plan pencil',
    foreign:
      'buch* reservier* réserv* reserva reservar reserve reserveer prenot* boek boeken reserveer* zarezerwuj* umów 予約',
  },
  close: {
    heads: 'close resolve complete finish',
    words: 'shut end settle wrap tick',
    foreign:
      'schließ* schliess* abschließ* ferm* clôtur* cerr* cierr* chiud* fecha fechar feche encerr* sluit* afsluit* zamknij zamkn* 閉* 完了 クローズ',
  },
  assign: {
    heads: 'assign reassign delegate',
    words: 'give hand pass route',
    foreign:
      'gib geben geef geven donne donner donnez dare dai dé dar weise zuweis* weis assigne assigner assignez attribue attribuer attribuez asign* assegn* atribu* toewijz* wijs przypisz* przydziel* 割* 担当',
  },
  comment: {
    heads: 'comment note remark',
    words: 'write add say log record jot',
    foreign:
      'kommentier* vermerk* notier* commente commenter commentez comenta comentar anot* annot* noteer* zanotuj dopisz skomentuj コメント メモ 記録',
  },
  invite: {
    heads: 'invite add',
    words: 'include cc bcc',
    foreign:
      'lade einlad* invite inviter invitez invita invitar convid* uitnodig* nodig zaproś 招待',
  },
  tag: {
    heads: 'tag label',
    words: 'mark flag',
    foreign: 'tagge markier* étiquet* etiquet* etichett* oznacz',
  },
  run: {
    heads: 'run execute trigger start launch',
    words: 'call fire',
    foreign:
      'führe starte lance lancer lancez lancia lanciare lança ejecut* esegu* execut* uitvoer* uruchom* 実行 開始',
  },
  deploy: {
    heads: 'deploy release ship',
    words: 'roll publish push promote',
    foreign: 'deployen deploye ausroll* déploi* déploy* despleg* implant* wdróż デプロイ',
  },
  rollback: { heads: 'rollback revert', words: 'undo', foreign: '' },
  copy: {
    heads: 'copy duplicate clone',
    words: 'replicate',
    foreign: 'kopier* copi* duplizier* dupliqu* duplica* kopieer* skopiuj コピー 複製',
  },
  restart: {
    heads: 'restart reboot',
    words: 'bounce',
    foreign: 'neustart* redémarr* reinici* riavvi* herstart* zrestartuj 再起動',
  },
  stop: {
    heads: 'stop halt kill',
    words: 'end abort',
    foreign: 'stopp* arrêt* para parar pare deten* ferma fermare zatrzymaj 停止 止*',
  },
  pause: {
    heads: 'pause suspend snooze',
    words: 'hold park',
    foreign: 'pausier* suspender suspende pausa pausar pauzeer* wstrzymaj 一時停止',
  },
  enable: {
    heads: 'enable activate',
    words: 'allow',
    foreign:
      'aktivier* schalte activa activar activez activer activeer activa activar activez activer activeer attiv* ativ* activeer* włącz 有効',
  },
  disable: {
    heads: 'disable deactivate',
    words: 'suspend hide unlist unpublish discontinue retire',
    foreign: 'deaktivier* desactiv* désactiv* disattiv* desativ* deactiveer* wyłącz 無効 停止',
  },
  freeze: {
    heads: 'freeze block lock',
    words: 'suspend',
    foreign: 'sperr* bloqu* blocca bloccare gel* congel* blokkeer* zablokuj 凍結 ロック',
  },
  unlock: {
    heads: 'unlock unblock unfreeze',
    words: 'release',
    foreign: 'freischalt* entsperr* débloqu* desbloqu* sblocca* deblokkeer* odblokuj 解除',
  },
  logout: {
    heads: 'revoke logout signout',
    words: 'invalidate withdraw',
    foreign: 'abmeld* déconnect* desconect* disconnett*',
  },
  restore: {
    heads: 'restore undelete recover',
    words: 'revive',
    foreign:
      'wiederherstell* restaura restaurar restaurer restaurez ripristin* herstel* przywróć 復元',
  },
  reset: {
    heads: 'reset',
    words: '',
    foreign: 'zurücksetz* réinitialis* restablec* reimpost* redefin* zresetuj リセット',
  },
  approve: {
    heads: 'approve accept authorize authorise',
    words: 'sign okay greenlight',
    foreign:
      'genehmig* freigeb* approuv* valide valider validez aprob* aprov* approv* goedkeur* zatwierdź 承認',
  },
  confirm: {
    heads: 'confirm',
    words: 'acknowledge verify',
    foreign:
      'bestätig* confirma confirmar confirme confirmer confirmez conferm* bevestig* potwierdź 確認',
  },
  reject: {
    heads: 'reject decline deny refuse',
    words: '',
    foreign:
      'ablehn* lehne refus* rejet* rechaz* rifiut* recus* rejeit* afwijz* weiger* odrzuć 却下 断*',
  },
  archive: {
    heads: 'archive',
    words: '',
    foreign:
      'archivier* archiviere archivieren archivia archiviare archiva archivar archivez archiver arquiv* archiveer* zarchiwizuj アーカイブ',
  },
  subscribe: { heads: 'subscribe join', words: 'follow enroll sign', foreign: '' },
  share: {
    heads: 'share',
    words: 'grant',
    foreign: 'teile freigeb* partag* compart* condivid* compartilh* deel udostępnij 共有',
  },
  merge: {
    heads: 'merge combine',
    words: '',
    foreign: 'zusammenführ* fusionn* fusiona fusionar unisc* samenvoeg* połącz 統合',
  },
  upload: { heads: 'upload', words: 'save store put add attach', foreign: '' },
  remind: {
    heads: 'remind',
    words: '',
    foreign: 'erinner* rappel* recuérd* recorda ricord* lembr* herinner* przypomnij リマインド',
  },
  reopen: {
    heads: 'reopen',
    words: '',
    foreign: 'wiedereröffn* rouvr* reabr* riapr* heropen* 再開',
  },
  rename: {
    heads: 'rename',
    words: 'call',
    foreign: 'umbenenn* renomm* renombr* rinomin* renome* hernoem* 名前',
  },
  escalate: {
    heads: 'escalate',
    words: '',
    foreign: 'eskalier* escalad* escala escalar エスカレ*',
  },
}

/**
 * Two words with others between them: let Ann know, roll it back. Behind it the verb that is meant,
 * and a plus where the first is one as well.
 */
export const IDIOMS: readonly string[] = [
  'let know: tell',
  'give heads: tell',
  'give shout: tell',
  'drop line: tell',
  'drop note: tell',
  'get back: tell +',
  'keep posted: tell',
  'fill in: tell +',
  'lass wissen: tell',
  'bescheid geben: tell',
  'sag bescheid: tell',
  'gib bescheid: tell',
  'laat weten: tell',
  'daj znać: tell',
  'fais savoir: tell',
  'faites savoir: tell',
  'fammi sapere: tell',
  'fai sapere: tell',
  'faz saber: tell',
  'hazle saber: tell',
  'roll back: rollback',
  'go back: rollback +',
  'log out: logout',
  'sign out: logout',
  'kick out: remove',
  'take out: remove',
  'take off: disable',
  'take down: remove',
  'get rid: remove',
  'throw out: remove',
  'throw away: remove',
  'kick off: run',
  'chuck out: remove',
  'send back: refund',
  'give back: refund',
  'pay back: refund',
  'money back: refund',
  'call off: cancel',
  'put sale: change',
  'put off: change',
  'push back: change',
  'bring forward: change',
  'put hold: pause',
  'turn on: enable +',
  'switch on: enable +',
  'turn off: disable +',
  'switch off: disable +',
  'shut down: stop',
  'take offline: stop',
  'bring back: restore',
  'hand over: assign',
  'pass on: forward',
  'write down: note',
  'jot down: note',
  'make note: note',
  'take note: note',
  'set up: create',
  'sign up: subscribe',
  'move account: transfer +',
  'shift account: transfer +',
  'put account: transfer +',
  'knock off: change',
  'get account: create +',
  'kann weg: remove',
  'gooi weg: remove',
  'wirf weg: remove',
  'butta via: remove',
  'needs access: share',
  'need access: share',
  'wants access: share',
  'lift block: unlock',
  'lift freeze: unlock',
  'put up: post',
  'book in: add +',
  'check in: add +',
  'have account: create +',
]

/** Kinds of things that a verb is about without naming them: what one is told is a message. */
export const VERB_NOUNS: Readonly<Record<string, string>> = {
  tell: 'message mail email reply comment',
  inform: 'message mail email reply',
  remind: 'task reminder todo event message mail',
  note: 'note comment activity',
  log: 'note comment activity call',
  record: 'note comment activity',
  mention: 'note comment',
  reply: 'reply comment message mail',
  answer: 'reply comment message mail',
  respond: 'reply comment message mail',
  write: 'message mail email reply note comment',
  send: 'message mail email',
  email: 'message mail',
  mail: 'message email',
  message: 'mail email dm',
  ping: 'message dm',
  ask: 'message mail reply comment',
  warn: 'message mail',
  apologise: 'message mail reply',
  apologize: 'message mail reply',
  thank: 'message mail reply',
  post: 'message',
  display: 'message',
  announce: 'message announcement',
  tag: 'tag label',
  label: 'tag label',
  flag: 'tag flag label',
  share: 'share permission collaborator',
  forward: 'message mail email',
  accept: 'event invitation meeting',
  decline: 'event invitation meeting',
  cc: 'follower watcher participant',
  unshare: 'permission share',
  subscribe: 'subscriber subscription',
  unsubscribe: 'subscriber subscription',
  rollback: 'rollback',
  deploy: 'deployment release',
  book: 'booking reservation event appointment',
  schedule: 'event appointment meeting booking',
  refund: 'refund',
  transfer: 'transfer',
  pay: 'payment transfer',
  order: 'order',
  add: 'member participant attendee',
  invite: 'member invitation attendee guest participant',
  logout: 'session',
}
