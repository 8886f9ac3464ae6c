/**
 * Words that a prompt to a coding agent may hold whatever it is about: they help to rank memories,
 * but two prompts that share only these have no subject in common.
 */
export const everydayWords: readonly string[] =
  `add added adding adds app append application apply argument arguments array article
    backend bad blog branch break breaks broke broken browser bug bugs build builds button
    call calls change changed changes check checks class clean clear code codebase column
    command commands comment comments commit compile complete component config configure
    conflict conflicts constant continue convert copy correct crash crashes create current
    data debug default delete describe description design detail details develop developer
    diff difference directory doc docs document documentation done download draw drop edit
    empty end entry error errors example exception execute exist expect expected explain
    export extend extract fail failed failing fails failure feature field file files find
    finish first fix fixed fixes folder format framework frontend full function functions
    generate generic git go good handle hello help helper hint html idea implement
    implementation import improve input insert install instance issue item java javascript job
    key language large last later latest learn left length letter level library line lines
    link list load local log loop machine main member memory menu merge message method missing
    model module move name names nested new node note number numbers object old open option
    options order original output package page pages parameter parse parser part pass path
    plan port prefer print problem process program programming project prompt proper pull push
    python question random read readme recent recommend refactor reference remove rename
    replace repo repository request resolve response restart result retry return review
    rewrite rule run running runs rust sample scaffold screen script search second section
    select send server service session set setting settings setup shell show similar simple
    simplify size slow small snippet solution solve something sort source split sql stack
    standard start state statement step steps stop string structure style suggest summarize
    summary support switch syntax system table tag task team template terminal test testing
    tests text think time title today tool top topic trace translate tree try turn type types
    typescript undefined understand undo unit unused update updates upgrade url user users
    valid validate value values variable variables verify version view visible wait warning
    warnings web website week weird window word work working works wrap write writes written
    wrong year yesterday`.split(/\s+/);
