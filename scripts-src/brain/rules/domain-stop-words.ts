/**
 * Per language what prompts to a coding agent hold whatever they are about, beside the stop words
 * of a dictionary: `filler` says nothing, `everyday` helps to rank memories and no more. English
 * has its own two lists (stop-words.ts and low-weight-words.ts of base/). A word stands for all of its forms.
 */
export interface CommonWords {
  readonly filler: string;
  readonly everyday: string;
}

export const commonWords = {
  en: {
    filler: "",
    everyday: `two three four five six seven eight nine ten eleven twelve hundred thousand million
      half double second third minute hour month morning evening night monday tuesday wednesday
      thursday friday saturday sunday take whole mode case edge regex lint linter csv json html css
      http https bash word sentence paragraph letter story poem blog website post public private
      early fresh dead progress filter query upload duplicate dialog popup icon layout api database
      dialogue decision consensus synthesis collaboration finding`,
  },
  de: {
    filler: `bitte danke hallo ja nein okay genau gern gerne mal schon noch doch eben halt eigentlich
      irgendwas irgendwie irgendwo jetzt gerade heute sofort wieder weiter immer nie manchmal damals
      warum weshalb wieso wo wann wer wen wem welche welcher welches welchen wie viel viele mehr
      weniger kannst könntest könnte könnten darf darfst dürfen dürft muss müssen möchte sollen soll
      sollte lass lasst geht gehen ging gibt geben gib mach mache machen macht daraus dabei dafür
      davon dazu damit danach darauf darin drin brauche brauchst brauchen braucht nötig schau sieht
      einfach ganz sehr nur auch alle alles jede jeder jedes beim vom zum zur ins ans gut gute guten
      etwas ungefähr etwa beide bei mir uns euch dir kommt kommen passiert bekomme bekommen liegt
      steht stehen heißt nun also denn`,
    everyday: `schreib schreibe schreiben funktion klasse datei ordner verzeichnis zeile liste
      fehler fehlermeldung code text seite name wert variable methode test testen teste prüfe prüfen
      ändern ändere geändert änderung hinzufügen füge einfügen ergänze ergänzen entferne entfernen
      ersetze ersetzen umbenennen benenne erkläre erklären erklärung zeig zeige zeigen anzeigen baue
      bauen einbauen bau suche suchen such finde finden nimm nehmen nutze nutzen benutze benutzen
      verwende verwenden neu alt besser beste schlecht schnell langsam groß klein richtig falsch
      kaputt läuft laufen laufend funktioniert funktionieren startet starten starte beispiel
      unterschied frage antwort problem lösung idee projekt programm rechner laptop server daten
      ausgabe eingabe ergebnis version anfang ende erstelle erstellen anlegen leg schritt wort satz
      feld spalte tabelle knopf bild farbe schrift titel überschrift formular suche nutzer benutzer
      übersetze übersetzen fasse zusammen teil aufteilen gestern morgen woche monat jahr tag stunde
      minute zeit zahl größe erste letzte nächste welt mensch leute sache stelle grund art speichern
      laden öffnen schließen senden schicken verschicken holen setzen stellen arbeiten arbeit
      kommentar dokumentation`,
  },
  ru: {
    filler: `пожалуйста спасибо привет да нет ок ладно давай давайте просто очень сейчас теперь
      сегодня вчера завтра снова опять ещё еще уже всё все тоже также почему зачем где куда откуда
      когда кто кого кому чей какой какая какое какие каком сколько можно нужно надо нельзя должен
      может могу можешь хочу хочет есть был было были будет быть стал этот эта это эти того той тех
      там тут здесь так как что чтобы если или либо для при про без над под между через после перед
      пока наш наша наше наши нас нам вам мне меня мой моя тебе себя свой сам лучше хуже больше меньше
      немного чуть какой-то какая-то что-то что-нибудь вроде хотя только который которая которое
      которые делать сделай сделать дай дать идёт идет получать получить пришло у случилось бывает
      отвечать хорошо вот весь один одна одно`,
    everyday: `напиши написать пиши функция класс файл папка каталог строка список ошибка код текст
      страница имя название значение переменная метод тест проверь проверить проверка проверять
      измени изменить поменяй поменять исправь исправить поправь поправить добавь добавить убери
      убрать удали удалить удаляет замени заменить переименуй переименовать перепиши переписать объясни
      объяснить расскажи покажи показать показывать отображается отображать найди найти искать поиск
      возьми используй использовать создай создать новый старый хороший плохой быстрый быстро
      медленный большой маленький правильный неправильный сломался работает работать запусти запустить
      запускать запускаются пример разница отличается отличаться вопрос ответ проблема решение идея
      проект программа компьютер ноутбук сервер данные вывод результат версия начало конец шаг слово
      поле колонка таблица кнопка картинка цвет шрифт заголовок форма пользователь переведи перевести
      часть разбей день неделя месяц год час минута время число размер первый последний следующий
      текущий прошлый обнови обновить последняя версия сохранить загрузить открыть закрыть отправить
      падает упал видит видеть комментарий документация экран номер телефон приложение обычный дело
      человек место причина вид посоветуй подскажи придумай сравни нарисуй оцени продолжай`,
  },
  fr: {
    filler: `merci bonjour salut oui non bien très plus moins aussi encore toujours jamais pourquoi
      comment quand où qui quoi quel quelle quels quelles peux peut pouvez pouvons dois doit faut
      faudrait veux voudrais veut fais fait faire faites vas va aller ça cela ceci ici là tout toute
      tous toutes chaque autre autres alors donc puis après avant sans sous sur vers chez entre
      depuis pendant combien maintenant aujourd hui hier demain svp plaît besoin avons avez ont être
      suis es est sont était marche`,
    everyday: `écris écrire fonction classe fichier dossier répertoire ligne liste erreur code texte
      page nom valeur variable méthode test tester vérifie vérifier change changer modifie modifier
      modification ajoute ajouter supprime supprimer enlève enlever remplace remplacer renomme
      renommer explique expliquer montre montrer affiche afficher cherche chercher recherche trouve
      trouver utilise utiliser crée créer nouveau nouvelle ancien vieux bon mauvais rapide vite lent
      grand petit correct faux cassé fonctionne fonctionner lance lancer exemple différence question
      réponse problème solution idée projet programme ordinateur serveur données sortie entrée
      résultat version début fin étape mot champ colonne table bouton image couleur titre formulaire
      utilisateur traduis traduire partie jour semaine mois année heure minute temps nombre taille
      premier dernier prochain mettre mets enregistrer ouvrir fermer envoyer corrige corriger`,
  },
  es: {
    filler: `gracias hola sí no bien muy más menos también todavía siempre nunca por qué porque cómo
      cuándo dónde quién cuál cuáles cuánto cuánta cuántos cuántas puedo puedes puede podemos podría
      debo debe deben hay que quiero quiere haz hace hacer hago va voy vamos ir eso esto aquí ahí allí
      todo toda todos todas cada otro otra otros otras entonces luego después antes sin sobre hacia
      entre desde durante ahora hoy ayer mañana favor necesito necesita tengo tiene tenemos soy es son
      era está están`,
    everyday: `escribe escribir función clase archivo fichero carpeta directorio línea lista error
      código texto página nombre valor variable método prueba probar comprueba comprobar cambia
      cambiar cambio añade añadir agrega agregar quita quitar elimina eliminar borra borrar reemplaza
      reemplazar renombra renombrar explica explicar muestra mostrar busca buscar búsqueda encuentra
      encontrar usa usar utiliza utilizar crea crear nuevo nueva viejo antiguo bueno malo rápido lento
      grande pequeño correcto incorrecto roto funciona funcionar ejecuta ejecutar arranca ejemplo
      diferencia pregunta respuesta problema solución idea proyecto programa ordenador servidor datos
      salida entrada resultado versión principio fin paso palabra campo columna tabla botón imagen
      color título formulario usuario traduce traducir parte día semana mes año hora minuto tiempo
      número tamaño primero último siguiente poner pon guardar abrir cerrar enviar arregla arreglar
      corrige corregir`,
  },
  it: {
    filler: `grazie ciao sì no bene molto più meno anche ancora sempre mai perché come quando dove chi
      quale quali quanto quanta quanti quante posso puoi può possiamo potrebbe devo deve dobbiamo
      bisogna voglio vuole fai fa fare faccio va vado andare questo quello qui lì tutto tutta tutti
      tutte ogni altro altra altri altre allora poi dopo prima senza sopra verso tra fra durante adesso
      ora oggi ieri domani favore serve ho ha abbiamo sono è era`,
    everyday: `scrivi scrivere funzione classe file cartella riga linea lista elenco errore codice
      testo pagina nome valore variabile metodo test prova provare controlla controllare cambia
      cambiare modifica modificare aggiungi aggiungere togli togliere rimuovi rimuovere elimina
      eliminare sostituisci sostituire rinomina rinominare spiega spiegare mostra mostrare cerca
      cercare ricerca trova trovare usa usare crea creare nuovo nuova vecchio buono cattivo veloce
      lento grande piccolo corretto sbagliato rotto funziona funzionare esegui eseguire avvia avviare
      esempio differenza domanda risposta problema soluzione idea progetto programma computer server
      dati uscita risultato versione inizio fine passo parola campo colonna tabella pulsante immagine
      colore titolo modulo utente traduci tradurre parte giorno settimana mese anno ora minuto tempo
      numero dimensione primo ultimo prossimo mettere metti salvare aprire chiudere inviare correggi
      correggere`,
  },
  pt: {
    filler: `obrigado obrigada olá sim não bem muito mais menos também ainda sempre nunca porque por
      que como quando onde quem qual quais quanto quanta quantos quantas posso pode podemos poderia
      devo deve preciso precisa quero quer faz faça fazer vai vou vamos ir isso isto aqui ali tudo
      todo toda todos todas cada outro outra outros outras então depois antes sem sobre até entre
      desde durante agora hoje ontem amanhã favor tenho tem temos sou é são era está estão você`,
    everyday: `escreva escrever função classe arquivo ficheiro pasta diretório linha lista erro código
      texto página nome valor variável método teste testar verifique verificar mude mudar altere
      alterar alteração adicione adicionar acrescente remova remover apague apagar exclua excluir
      substitua substituir renomeie renomear explique explicar mostre mostrar procure procurar busca
      encontre encontrar use usar utilize utilizar crie criar novo nova velho antigo bom mau rápido
      lento grande pequeno correto errado quebrado funciona funcionar execute executar rode rodar
      exemplo diferença pergunta resposta problema solução ideia projeto programa computador servidor
      dados saída entrada resultado versão início fim passo palavra campo coluna tabela botão imagem
      cor título formulário usuário utilizador traduza traduzir parte dia semana mês ano hora minuto
      tempo número tamanho primeiro último próximo colocar salvar guardar abrir fechar enviar corrija
      corrigir`,
  },
  nl: {
    filler: `bedankt dank hallo ja nee oké goed heel erg meer minder ook nog steeds altijd nooit waarom
      hoe wanneer waar wie welke welk hoeveel kan kun kunnen kunt zou moet moeten mag wil willen doe
      doet doen ga gaat gaan dit dat hier daar alles alle elke ander andere dan daarna voor zonder over
      naar tussen sinds nu vandaag gisteren morgen graag alsjeblieft nodig heb heeft hebben ben is zijn
      was maak maken even maar`,
    everyday: `schrijf schrijven functie klasse bestand map regel lijst fout code tekst pagina naam
      waarde variabele methode test testen controleer controleren verander veranderen wijzig wijzigen
      wijziging voeg toevoegen toe verwijder verwijderen vervang vervangen hernoem hernoemen leg uit
      uitleggen toon tonen laat zien zoek zoeken vind vinden gebruik gebruiken nieuw nieuwe oud slecht
      snel langzaam groot klein juist kapot werkt werken start starten draai draaien voorbeeld
      verschil vraag antwoord probleem oplossing idee project programma computer server gegevens
      uitvoer invoer resultaat versie begin einde stap woord veld kolom tabel knop afbeelding kleur
      titel formulier gebruiker vertaal vertalen deel dag week maand jaar uur minuut tijd getal grootte
      eerste laatste volgende opslaan openen sluiten versturen repareer`,
  },
} as const satisfies Readonly<Record<string, CommonWords>>;

/** The same of scripts that put no blanks between words. */
export const commonUnspaced: CommonWords = {
  filler: `怎么 怎样 如何 什么 为什么 哪里 哪个 哪些 谁 多少 几个 我们 你们 他们 这个 那个 这些 那些 这里 那里 这段 请
    帮我 帮忙 谢谢 可以 能不能 不能 可不可以 应该 需要 必须 现在 今天 昨天 明天 刚才 已经 还是 或者 因为 所以 如果 但是
    然后 一下 一个 一些 没有 不是 是不是 就是 看看 想要 发生 起来 出来 进来 继续 办法 时候 之后 之前 以后 以前 不要 不再
    比较 特别 很多 全部 所有 自己 告诉 知道 更加 一点 怎么办 有什么 是什么 为何 何时
    何故 何処 何人 下さい 教えて 欲しい 今日 昨日 明日 今 時 事 物 方 私 僕 誰 何 全部 全て 一つ 二つ 少し 大丈夫 必要 可能 出来
    無い 有る 居る 行う 見て 見る 言う 思う 次 前 後 中 方法 場合 心配`,
  everyday: `函数 代码 文件 文件夹 目录 程序 项目 问题 错误 报错 修改 改成 改为 添加 增加 加上 删除 去掉 替换 重命名 解释
    说明 显示 查看 查找 搜索 检查 测试 运行 执行 启动 使用 创建 新建 新的 旧的 写 实现 支持 变量 方法 类 注释 文档 页面 按钮
    颜色 图片 标题 表格 表单 列表 字段 名字 名称 内容 数据 结果 版本 电脑 服务器 用户 语言 翻译 例子 区别 比较 性能 速度
    时间 日期 小时 分钟 开始 结束 第一 最后 下一步 简单 复杂 功能 接口 登录 系统 工具 信息 改动 修复 更新 设置 配置 计划
    統計 统计 上个 下个 本地 大小 数量 安装 调整 调节 详情
    関数 変数 変数名 説明 簡単 意味 違い 追加 変更 修正 削除 表示 画面 一覧 検索 実装 作成 作って 書いて 直して 変えて 入れて 使う
    使って 実行 起動 確認 設定 名前 値 型 行 列 文字 文字列 画像 色 背景 見出し 表 番号 問題 原因 結果 版 開発 環境 英語 日本語
    翻訳 例 時間 日付 最初 最後 開始 終了 新しい 古い 大きい 小さい 速い 遅い 早い 失敗 成功 読み 分割 取り消 戻して 計算 登録 対応
    コード エラー エラーメッセージ メッセージ ファイル フォルダ テスト クラス メソッド ボタン ページ リスト データ テーブル
    テーブル名 サーバー ユーザー プログラム プロジェクト バージョン コメント タイトル フォーム チェック フォント ヘッダー ロゴ
    アプリ システム ツール`,
};
