/*790a02f82e4cba46*/(function(require,later,exports){"use strict";const {nameOf:I,ConsultaError:b,isoSecond:B,millisecondsOf:G,createFileExclusively:S,existsSync:$,discard:ee,ensureFolder:L,resolveProjectFile:te,noteFirstSeen:ne,madeByUs:z,catchUp:re,newSession:se,openPlace:ie,markSeen:le,inline:w,isJsonObject:ce,isRecord:p,parseStrictJson:D,quote:d,visibleText:ue,limits:m}=require("chunk:base"),{join:O,resolve:Un}=require("node:path"),{isDeepStrictEqual:Hn}=require("node:util"),{rehearsalMark:oe,refresh:ae,parseCheckSpec:A,specText:U,parseEvidence:de,bulletsOf:F,textsAfter:T,counted:be}=require("chunk:session");var Y={adr:["Status","Context","Decision","Alternatives Considered","Consequences","Follow-ups"],"design-spec":["Problem","Goals","Non-goals","Proposed Design","Interfaces / Contracts","Failure Modes","Validation Plan","Open Questions"],"implementation-plan":["Scope","Phases","Tasks","Dependencies","Rollout / Migration","Tests","Risks","Exit Criteria"],"decision-memo":["Question","Recommendation","Options","Tradeoffs","Decision","Next Action"],"review-report":["Scope","Findings","Risks","Required Changes","Open Questions","Recommendation"],"test-plan":["Scope","Test Matrix","Fixtures","Automation","Manual Tests","Exit Criteria"],custom:[]},_=Object.keys(Y).sort();function M(e){return C(e)?Y[e]:void 0}function C(e){return Object.hasOwn(Y,e)}var Je=[{flags:"--completion <gate>",text:"collaboration, repeat: what must hold at the end",many:!0},{flags:"--gate-check <check>",text:'collaboration, repeat, one a gate in their order: FILE:LINES, find "TEXT" PATH, a command, or ""',many:!0},{flags:"--primary-deliverable-type <type>",text:`collaboration, schema 2: ${_.join(", ")}`},{flags:"--primary-deliverable-file <path>",text:"schema 2: Markdown file in the deliverables' folder"},{flags:"--primary-deliverable-check <section>",text:"schema 2, type custom, repeat: a section that it must have",many:!0},{flags:"--deliverables-mode <mode>",text:"schema 2: internal or external (default: internal)"},{flags:"--deliverables-dir <dir>",text:"schema 2 (default: deliverables)"},{flags:"--repo-root <path>",text:"schema 2, external: the repository, relative to the folder"}];function wt(e){let t=e.one("primary-deliverable-type"),n=e.one("primary-deliverable-file"),o=e.many("primary-deliverable-check");return{gates:e.many("completion"),gateChecks:e.many("gate-check"),primary:t===void 0?void 0:{type:t,file:n,checks:o},mode:e.one("deliverables-mode"),dir:e.one("deliverables-dir"),repoRoot:e.one("repo-root")}}function Ft(e){return Je.flatMap(t=>e.has(I(t))?[`--${I(t)}`]:[])}var P=".first-seen.jsonl",pe=["proposal.md","decisions.md","readiness.md"],kt={file:P,documentsOf:Ot,lineOf:St,lastSeq:e=>Math.max(0,...Ne(e).keys())};function Ot({event:e}){return["proposal_submitted","review_submitted","decision_accepted"].includes(e)?pe:[]}function St(e,t){let{seq:n,event:o}=e,r=Object.keys(t).length===0?{}:{docs:t};return`${JSON.stringify({seq:n,event:o,print:Ie(e),...r})}
`}function Ne(e){let t=new Map;for(let n of e.split(`
`)){let o=$t(n);o!==void 0&&!t.has(o.seq)&&t.set(o.seq,o)}return t}function $t(e){let t;try{t=JSON.parse(e)}catch{return}if(!p(t))return;let{seq:n,event:o,print:r,docs:s}=t;if(typeof n!="number"||typeof o!="string"||typeof r!="string")return;let i=pe.flatMap(l=>{let u=p(s)?s[l]:void 0;return typeof u=="string"?[[l,u]]:[]});return{seq:n,event:o,print:r,docs:Object.fromEntries(i)}}function Ie(e){let t=Object.keys(e).filter(s=>s!=="prev").sort(),n=JSON.stringify(t.map(s=>[s,e[s]])),[o,r]=[3735928559,1103547991];for(let s=0;s<n.length;s+=1){let i=n.charCodeAt(s);o=Math.imul(o^i,2654435761),r=Math.imul(r^i,1597334677)}return o=Math.imul(o^o>>>16,2246822507)^Math.imul(r^r>>>13,3266489909),r=Math.imul(r^r>>>16,2246822507)^Math.imul(o^o>>>13,3266489909),(4294967296*(2097151&r)+(o>>>0)).toString(36)}function fe(e){return ue(e.join(", "))}function jt(e){let t=["protocol.json",{bytes:0}];return new Map([t,...e])}var Rt={missing:e=>`missing ${e}`,blocking:e=>`blocking readiness items must be cleared${e}`,unresolved:e=>`unresolved readiness questions must be classified${e}`,"no reason":e=>`deferred_nonblocking readiness items require a reason${e}`,"not ready":e=>`readiness.md must check 'Ready to implement'${e}`,"open gates":(e,t)=>`completion gates must be checked${e}: ${t}`,"no sections":e=>`conclusion.md is missing required sections: ${e}`,"not one outcome":()=>"conclusion.md must declare exactly one final outcome","blocked outcome":()=>"conclusion.md outcome cannot be completed while blocked",placeholders:()=>"conclusion.md must not contain unresolved placeholders before completed","primary unnamed":()=>"conclusion.md must reference the primary deliverable","unknown event":e=>`unknown event ${e}`,"no reply":()=>"reply_to is required after initialized","reply to none":()=>"reply_to must point to an earlier event","no time":()=>"at must be an ISO-8601 timestamp","time runs back":()=>"at must not be earlier than the previous event","wrong phase":(e,t)=>`${e} is not allowed from phase ${t}`,"not listed":e=>`${e} participant is not listed in protocol.json`,reserved:(e,t,n)=>`${e} is reserved for ${t}; got ${n}`,"not first":()=>"initialized must be seq 1","not drafted":()=>"proposal_submitted requires prior primary deliverable_drafted","no reviewer":()=>"proposal_submitted requires at least one reviewer","not classified":()=>"decision_accepted requires question_classified after the latest proposal or decision","frozen before":()=>"deliverable_revised is not allowed after deliverable_frozen","frozen twice":()=>"primary deliverable can be frozen only once","not frozen":()=>"readiness_passed requires primary deliverable_frozen","readiness not passed":()=>"completed requires a prior readiness_passed event","no conclusion":()=>"completed must reference conclusion.md","no phase before":()=>"unblocked has no phase to go back to: nothing was initialized before blocked","no role":()=>"deliverable events require role","no doc":()=>"deliverable events require doc","not the primary":()=>"doc must reference the primary deliverable","not a supporting one":()=>"doc must reference a declared supporting deliverable","no hash":()=>"deliverable_frozen requires sha256","not acp":()=>"protocol.json protocol must be 'acp'","schema version":()=>"protocol.json schemaVersion must be 2",phase:e=>`currentPhase must be one of [${e}]`,"no objective":()=>"protocol.json objective must not be blank",participants:()=>"protocol.json participants must not be empty","no gates":()=>"protocol.json completionGates must not be empty","a version":()=>"protocol.json must not include a protocol version field","no key":e=>`protocol.json ${e} must be present`,"gate form":e=>`completionGates[${e}] must include source and text`,"obsolete file":e=>`completion gate must not reference obsolete file ${e}`,"no primary":()=>"protocol.json deliverables.primary is required","root given":()=>"repoRoot is not allowed for internal deliverables",mode:()=>"deliverables.mode must be internal or external","no root":()=>"repoRoot is required for external deliverables","absolute root":()=>"repoRoot must be relative","not inside root":()=>"collaboration folder must be inside repoRoot","no dir":()=>"deliverables.dir is required","leads out":e=>`${e} must be relative and must not contain ..`,type:e=>`${e} deliverable type is invalid`,"not Markdown":e=>`${e} deliverable file must be Markdown`,"no checklist":()=>"custom primary deliverable requires checklist","primary again":()=>"supporting deliverable must not reuse the primary deliverable file","same file":()=>"supporting deliverable files must be unique","no object":()=>"attachments must be objects","no attachment":()=>"attachment file is required"};function a(e,...t){return{code:e,text:Rt[e](...t)}}function Ct(e){return e.map(({text:t})=>t)}function me(e,...t){return e.some(({code:n})=>t.includes(n))}function y(e,t){return t!==void 0?{code:t,text:`${a(t).text}: ${e}`}:{text:`invalid protocol.json: ${e}`}}var Dt=["resolved","deferred_nonblocking","blocking","unresolved"];function ge(e){return F(e).filter(({mark:t})=>/^[A-Za-z_]+$/.test(t)).map(({mark:t,text:n})=>({status:t,text:n}))}function Pt(e){return Be(e," before decision_accepted"," before decision_accepted")}function At(e){let t=" before readiness_passed or completed";return[...Be(e,t,""),..._e(e,t)]}function _e(e,t){return F(e).some(Et)?[]:[a("not ready",t)]}function he(e,t,n=" before completed"){let o=new Set(F(e).filter(Ge).map(({text:s})=>s.trim())),r=t.filter(s=>!o.has(s.trim()));return r.length===0?[]:[a("open gates",n,r.join(", "))]}function Me(e){return ge(e).some(({status:t,text:n})=>t==="deferred_nonblocking"&&!/reason:/i.test(n))}function Be(e,t,n){let o=ge(e),r=[];return o.some(({status:s})=>s==="blocking")&&r.push(a("blocking",t)),o.some(Tt)&&r.push(a("unresolved",t)),Me(e)&&r.push(a("no reason",n)),r}function Tt({status:e,text:t}){return e==="unresolved"||Dt.includes(e)&&t.includes("TBD")}function Ge({mark:e}){return e==="x"||e==="X"}function Et(e){return Ge(e)&&e.text.startsWith("Ready to implement")}var E=".gate-evidence.jsonl";function Le({gates:e,raw:t}){let n=Array.isArray(t.gateChecks)?t.gateChecks:[],o=new Map(n.flatMap(r=>{if(!p(r))return[];let{gate:s,check:i}=r,l=typeof i=="string"?A(i):void 0;return typeof s=="string"&&l!==void 0&&!("fault"in l)?[[s.trim(),l]]:[]}));return e.map(r=>({text:r,spec:o.get(r.trim())}))}function ze(e,t){let n=t.get("readiness.md")?.text??"",o=Jt(t.get(E)?.text??"");return Le(e).map(r=>{let{text:s,spec:i}=r,l=o.get(s.trim()),u=i!==void 0&&l?.record.spec===U(i),f=he(n,[s]).length===0;return{...r,ticked:f,evidence:u?l:void 0}})}function qt(e){return`${JSON.stringify(e)}
`}function Jt(e){let t=new Map;for(let n of e.split(`
`)){let o=Nt(n),r=de(o?.record),{gate:s,by:i,at:l}=o??{};r===void 0||typeof s!="string"||typeof i!="string"||typeof l=="string"&&t.set(s.trim(),{gate:s,by:i,at:l,record:r})}return t}function Nt(e){if(e!=="")try{let t=D(e,"it");return p(t)?t:void 0}catch{return}}function Ue({owner:e},{text:t,spec:n,ticked:o,evidence:r}){let s=w(t,500);if(r===void 0){if(!o)return`NOT met: ${s}`;let R=n===void 0?"":`; its check: ${w(U(n),300)}`;return`met: ${s} (ticked by ${fe([e])}, not run${R})`}let{record:i,by:l,at:u}=r,f=i.exit===void 0?"":`, exit ${i.exit}`,c=`${w(i.spec,300)}${f}, seen by a script of ${w(l,128)} at ${w(u,40)}`;return i.met?o?`met: ${s} (${c})`:`NOT met: ${s} (not ticked; ${c})`:`NOT met: ${s} (its check fails: ${c})`}function It(e,t){let{phase:n,readinessPassed:o,settings:r,owner:s}=e;return n!=="completed"&&!o?[]:ze(r,t).filter(({spec:i,evidence:l})=>i!==void 0&&l?.record.met!==!0).map(i=>({rule:"gate",text:`gate ${Ue(e,i)}`,fixers:[s]}))}var _t=["Draft","In Review","Frozen"];function H(e){let t=e.deliverables;if(!p(t)||!p(t.primary))return;let n=q(t.dir),o=He(t.primary,n);if(o.file==="")return;let r=xe(t.supporting).filter(p),s=xe(t.attachments).filter(p);return{mode:t.mode==="external"?"external":"internal",dir:n,primary:o,supporting:r.map(i=>He(i,n)),attachments:s.map(i=>q(i.file)).filter(i=>i!==""),repoRoot:q(e.repoRoot)}}function Mt(e){return T(e,/^Status:/).find(n=>_t.some(o=>o===n))??""}function g({deliverables:e}){return e===null?"":x(e,e.primary)}function x({mode:e},{path:t,file:n}){return e==="external"?`external:${n}`:t}function ve({dir:e},t){return Ve(e,t)}function we({mode:e,repoRoot:t}){return e==="external"?k(t):0}function k(e){let t=0,n=0;for(let o of ye(e))o!==".."?n+=1:n>0?n-=1:t+=1;return n===0&&!e.startsWith("/")?t:void 0}function He(e,t){let n=q(e.file);return{type:q(e.type),file:n,path:Ve(t,n),checklist:Fe(e.checklist),frozen:!!e.frozen}}function Fe(e){return xe(e).filter(n=>typeof n=="string").map(n=>n.trim()).filter(n=>n!=="")}function Ve(e,t){return[...ye(e),...ye(t)].join("/")}function ye(e){return e.split("/").filter(t=>t!==""&&t!==".")}function q(e){return typeof e=="string"?e:""}function xe(e){return Array.isArray(e)?e:[]}var We=["proceed","do_not_proceed","defer"],Qe={1:["Decision Outcome","Rationale","Accepted Decisions","Implementation Approach","Assumptions","Deferred Follow-ups","Implementation Blockers","Next Action"],2:["Decision Outcome","Rationale","Deliverable Receipt","Accepted Decisions Summary","Readiness Result","Assumptions","Deferred Follow-ups","Implementation Blockers","Next Action"]},Bt=/(?<![\p{L}\p{N}_])(?:TBD|TODO|unresolved|\u5f85\u5b9a)(?![\p{L}\p{N}_])/iu;function J(e){return Qe[e]}function Gt(e,t){let n=[],o=Xe(e),r=Qe[t.schema].filter(i=>!o.has(i));r.length>0&&n.push(a("no sections",r.join(", ")));let s=Ke(e);return s.length!==1?n.push(a("not one outcome")):s[0]==="blocked"&&n.push(a("blocked outcome")),V(e)&&n.push(a("placeholders")),t.schema===2&&!e.includes(g(t))&&n.push(a("primary unnamed")),n}function Ke(e){let t=[...We,"blocked"];return F(e).filter(({mark:n,text:o,spaced:r})=>t.includes(n)&&r&&o!=="").map(({mark:n})=>n)}function V(e){return Bt.test(e)}function Xe(e){return new Set(T(e,/^##(?=\s|$)/))}function N(e){let t=e.deliverables;if(!p(t)||!p(t.primary))return[a("no primary")];let n=t.primary;return[...Lt(t.mode,e),...zt(t.dir),...Ze("primary",n),...Ut(n),...Ht(t.supporting,n.file),...Vt(t.attachments)]}function j(e){return!e.startsWith("/")&&!e.split("/").includes("..")}function Lt(e,t){let n=t.repoRoot;return e==="internal"?Object.hasOwn(t,"repoRoot")?[a("root given")]:[]:e!=="external"?[a("mode")]:typeof n!="string"||n.trim()===""?[a("no root")]:n.startsWith("/")?[a("absolute root")]:k(n)!==void 0?[]:[a("not inside root")]}function zt(e){return typeof e!="string"||e.trim()===""?[a("no dir")]:j(e)?[]:[a("leads out","deliverables.dir")]}function Ze(e,{type:t,file:n}){let r=typeof t=="string"&&C(t)?[]:[a("type",e)];return typeof n!="string"||!n.endsWith(".md")?[...r,a("not Markdown",e)]:j(n)?r:[...r,a("leads out",`${e} deliverable file`)]}function Ut({type:e,checklist:t}){return e!=="custom"||Fe(t).length>0?[]:[a("no checklist")]}function Ht(e,t){let n=Array.isArray(e)?e.filter(p):[],o=new Set;return n.flatMap(r=>{let s=r.file,i=Ze("supporting",r);return typeof s!="string"||(s===t?i.push(a("primary again")):o.has(s)&&i.push(a("same file")),o.add(s)),i})}function Vt(e){return(Array.isArray(e)?e:[]).flatMap(n=>{if(!p(n))return[a("no object")];let o=n.file;return typeof o!="string"||o.trim()===""?[a("no attachment")]:j(o)?[]:[a("leads out","attachment file")]})}function et(e){let t=e.deliverables;if(!p(t))return;let o=[t.primary,...Ye(t.supporting),...Ye(t.attachments)].map(c=>p(c)?c.file:void 0),r=[t.dir,e.repoRoot,...o].filter(c=>typeof c=="string"),s=r.find(c=>/[\p{Cc}\p{Cs}\u2028\u2029\\]/u.test(c));if(s!==void 0)return y(`${d(s)} cannot be a path: write plain names with slashes between`);let i=N(e).find(c=>me([c],"leads out","not inside root"));if(i!==void 0)return{code:i.code,text:`${i.text}: correct protocol.json`};let l=r.find(c=>c.split("/").some(R=>Wt(R)));if(l!==void 0)return y(`${d(l)} is, or lies in, what programs keep for themselves: move it`);let f=typeof e.repoRoot=="string"&&(k(e.repoRoot)??0)>0?o.find(c=>Qt(t.dir,c)):void 0;return f===void 0?void 0:y(`deliverable ${d(f)} has the name of a file of the protocol: rename it`)}function W(e){return/^\.(?!\.?$)./.test(e)}function ke(e){return/^(?:claude(?:\.local)?|gemini|agents?(?:\.override)?|qwen|crush|skill)\.md[ .]*$/i.test(e)}function Wt(e){return/^\.(?:git|consulta|claude|gemini|agents|codex|opencode|cursor|github)[ .]*$/i.test(e)||ke(e)}function Qt(e,t){return typeof e=="string"&&/^(?:\.?\/)*\.?$/.test(e)&&typeof t=="string"&&/^(?:\.\/)*[a-z]+\.(?:md|json|jsonl)$/i.test(t)&&Kt.includes(t.replace(/^(?:\.\/)+/,"").toLowerCase())}var Kt=["protocol.json","events.jsonl","readme.md","proposal.md","review.md","decisions.md","readiness.md","conclusion.md"];function Ye(e){return Array.isArray(e)?e:[]}var Xt=["currentPhase","proposalOwner","waitingFor","updatedAt"];function Q(e){if(e===void 0)return tt("protocol.json is missing: it names the participants and the completion gates; restore it, or run init in another folder");let t=en(e);return typeof t=="string"?tt(t):Zt(Object.fromEntries(Object.entries(t).filter(([n])=>!Xt.includes(n))))}function Zt(e){let{participants:t,objective:n,createdAt:o,completionGates:r}=e,s=K(e),i=rt(t);return{schema:s,fault:nt(e)?.text??"",participants:"text"in i?[]:i,objective:typeof n=="string"?n:"",gates:nn(r),createdAt:typeof o=="string"?o:"",deliverables:(s===2?H(e):void 0)??null,raw:e}}function nt(e){let t=rt(e.participants);return tn(e)??("text"in t?t:K(e)===2?et(e):void 0)}function Yt(e){let{fault:t}=e;return typeof t=="string"&&t!==""?t:void 0}function tt(e){return{schema:1,fault:e,participants:[],objective:"",gates:[],createdAt:"",deliverables:null,raw:{}}}function en(e){let t="restore protocol.json from a copy, or run init in another folder";if(e.trim()==="")return`invalid protocol.json: it is empty, expected an object; ${t}`;try{let n=D(e,"it");return ce(n)?n:`invalid protocol.json: it is ${d(n)}, expected an object; ${t}`}catch(n){if(!(n instanceof b))throw n;return`invalid protocol.json: ${n.message}; ${t}`}}function K(e){return"schemaVersion"in e||ot(e)!==void 0?2:1}function ot(e){return e.protocol==="acp"?"protocol":"deliverables"in e?"deliverables":void 0}function tn(e){let{schemaVersion:t}=e,n=ot(e);if(t===2||t===void 0&&n===void 0)return;let o=t===void 0?`it is missing beside ${n}`:`it is ${d(t)}`;return y(`${o}${t===void 0?"":" (none means schema 1)"}; correct it, or update Consulta if a newer one wrote it`,"schema version")}function rt(e){let t='expected a list such as [{"id": "claude"}, {"id": "gemini"}]';if(e===void 0||!Array.isArray(e)||e.length===0){let r=e===void 0?"there are none":`it is ${d(e)}`;return y(`${r}, ${t}; correct it`,"participants")}if(e.length>m.collaborationParticipants)return y(`participants has ${e.length} entries, expected at most ${m.collaborationParticipants}; split the group`);let n=e.map(Oe),o=n.findIndex(r=>typeof r!="string"||!Se(r));return o!==-1?y(`participants[${o}] is ${d(e[o])}, expected a name of 1 to ${m.collaborationNameCharacters} characters without control characters, as "NAME" or {"id": "NAME"}; correct it`):[...new Set(n.filter(r=>r!==void 0))]}function Oe(e){let t=p(e)?e.id:e;return typeof t=="string"?t:void 0}function Se(e){return e.trim()!==""&&e.length<=m.collaborationNameCharacters&&!/[\p{Cc}\p{Cs}\u2028\u2029]/u.test(e)}function nn(e){return Array.isArray(e)?e.flatMap(t=>{let n=p(t)?t.text:t;return typeof n=="string"?[n]:[]}):[]}var X=["drafting","reviewing","revising","decision_review","readiness_check","completed","blocked"];var on=["deliverable_drafted","deliverable_revised","deliverable_frozen"];function rn(e){return{settings:e,seq:0,phase:"new",owner:"",waitingFor:[],startedAt:"",lastAt:"",last:null,proposalSeq:0,classified:!1,accepted:[],readinessPassed:!1,drafted:!1,frozen:null,supportingFrozen:[],staleAcceptances:[],blocked:null,faults:[],faultsCount:0}}function $e(e){return[...e].sort((t,n)=>sn(t,n))}function sn(e,t){let[n,o]=[[...e],[...t]],r=n.findIndex((s,i)=>s!==o[i]);return r===-1?n.length-o.length:(n[r]?.codePointAt(0)??0)-(o[r]?.codePointAt(0)??-1)}function an(e){return $e(e.settings.participants.filter(t=>t!==e.owner))}function ln(e){return $e(e.settings.participants)}var Z=["state.log","discussion.md","opinions.md"];function cn(e){let t=K(e),n=Array.isArray(e.completionGates)?e.completionGates:[];return[...t===2?pn(e):[],...dn(e.currentPhase),...un(e,n),...t===1&&Object.hasOwn(e,"version")?[a("a version")]:[],...n.flatMap((o,r)=>fn(o,r,t)),...["waitingFor","proposalOwner"].filter(o=>!Object.hasOwn(e,o)).map(o=>a("no key",o)),...t===2?N(e):[]]}function je(e){return Z.filter(t=>e.includes(t)).sort()}function pn({protocol:e,schemaVersion:t}){let n=[];return e!=="acp"&&n.push(a("not acp")),t!==2&&n.push(a("schema version")),n}function dn(e){if(X.some(n=>n===e))return[];let t=[...X].sort().map(n=>`'${n}'`);return[a("phase",t.join(", "))]}function un({objective:e,participants:t},n){let o=[];return(typeof e!="string"||e==="")&&o.push(a("no objective")),(!Array.isArray(t)||!t.some(r=>Oe(r)!==void 0))&&o.push(a("participants")),n.length===0&&o.push(a("no gates")),o}function fn(e,t,n){let o=n===2?mn(e):e;return typeof o!="string"?n===2?[a("gate form",String(t+1))]:[]:je(o).map(r=>a("obsolete file",r))}function mn(e){if(!p(e))return;let{source:t,text:n}=e;if(!(t!=="objective"&&t!=="generated"))return typeof n=="string"&&n.trim()!==""?n:void 0}function Ce(e){let{primary:t}=e;return{...e,objective:e.objective.trim(),participants:[...new Set(Re(e.participants))],gates:Re(e.gates),gateChecks:(e.gateChecks??[]).map(n=>n.trim()),...t===void 0?{}:{primary:{type:t.type,file:yn(t),checks:Re(t.checks)},mode:e.mode??"internal",dir:(e.dir??"deliverables").trim()}}}function st(e){let t=Ce(e),{objective:n,participants:o,gates:r,createdAt:s,strict:i=!1}=t,l=o[0]??"",u={objective:n,participants:o.map(c=>({id:c})),currentPhase:"drafting",proposalOwner:l,waitingFor:[l],createdAt:s,updatedAt:s,...i?{strict:i}:{},...gn(t)};if(t.primary===void 0)return{...u,completionGates:[...r]};let f=hn(t,t.primary,l);return{...u,...f,protocol:"acp",schemaVersion:2,objectiveGates:[...r],completionGates:[...r.map(c=>({source:"objective",text:c})),...bn(f).map(c=>({source:"generated",text:c}))]}}function gn({gates:e,gateChecks:t=[]}){let n=e.flatMap((o,r)=>{let s=t[r]??"";return s===""?[]:[{gate:o,check:s}]});return n.length===0?{}:{gateChecks:n}}function hn(e,t,n){let{mode:o="",dir:r="",repoRoot:s}=e,{type:i,file:l="",checks:u}=t;return{deliverables:{mode:o,dir:r,owner:n,coAuthors:[],primary:{type:i,file:l,checklist:[...u]},supporting:[],attachments:[]},...o==="external"?{repoRoot:s??""}:{}}}function bn(e){let t=H(e);if(t===void 0)return[];let{primary:n}=t;return[`Primary deliverable exists: \`${x(t,n)}\``,`Primary deliverable has required \`${n.type}\` sections`,"Every accepted decision has `Reflected in`","Every accepted decision is reflected in the primary deliverable","Primary deliverable status is `Frozen`","Primary deliverable SHA-256 snapshot recorded"]}function yn({type:e,file:t=""}){return t.trim()!==""?t.trim():e==="custom"?"":`${e}.md`}function Re(e){return e.map(t=>t.trim()).filter(t=>t!=="")}function it(e){let t=Ce(e),n=[...t.objective===""?["--objective must not be blank"]:[],...xn(t),...vn(t.gates),...wn(t),...t.primary===void 0?kn(e):On(t)];return n.length>0?{ok:!1,reasons:n}:{ok:!0,raw:st(t)}}function xn({participants:e,primary:t}){let n=[];t!==void 0&&e.length<2?n.push("at least two non-blank --participant values are required"):e.length===0&&n.push("at least one non-blank --participant is required"),e.length>m.collaborationParticipants&&n.push(`${e.length} participants were named, at most ${m.collaborationParticipants} can take part; split the group`);let o=e.filter(r=>!Se(r));return[...n,...o.map(r=>`--participant ${d(r)} must be 1 to ${m.collaborationNameCharacters} characters on one line, without control characters`)]}function vn(e){return e.length===0?["at least one non-blank --completion is required"]:[...e.length>m.listItems?[`${e.length} gates were given, at most ${m.listItems} can be`]:[],...e.flatMap(n=>[...je(n).map(o=>`completion gate must not reference obsolete file ${o}: ${d(n)}; name what must be true, not a file that the protocol forbids`),...dt(n)?[]:[`--completion ${d(n)} must be one line of text`]])]}function wn({gates:e,gateChecks:t=[]}){return t.length>e.length?[`${t.length} --gate-check for ${be(e.length,"gate")}: the first belongs to the first --completion, and so on; give "" for a gate that a person judges`]:t.flatMap(n=>{if(n==="")return[];let o=A(n);return"fault"in o?[`--gate-check ${d(n)}: ${o.fault}`]:[]})}var Fn=new Set(["--completion","--gate-check"]);function kn({mode:e,dir:t,repoRoot:n}){return Object.entries({"--deliverables-mode":e,"--deliverables-dir":t,"--repo-root":n}).filter(([,r])=>r!==void 0).map(([r])=>`${r} needs --primary-deliverable-type`)}function On(e){let{type:t="",file:n="",checks:o=[]}=e.primary??{},r=[];if(!C(t)){let s=_.join(", ");r.push(`primary deliverable type is invalid: ${d(t)}; choose one of ${s}`)}t==="custom"&&n===""&&r.push("custom deliverables require --primary-deliverable-file"),t==="custom"&&o.length===0&&r.push("custom deliverables require at least one --primary-deliverable-check");for(let s of o.filter(i=>!dt(i)))r.push(`--primary-deliverable-check ${d(s)} must be one line of text`);return[...r,...n===""?[]:Sn(n,e),...$n(e.dir??""),...jn(e)]}function Sn(e,{mode:t,dir:n=""}){return e.endsWith(".md")?j(e)?pt(e)?e.split("/").some(W)?[`primary deliverable file ${lt}: ${d(e)}`]:e.split("/").some(ke)?[`primary deliverable file must not be what AI CLIs take for instructions: ${d(e)}`]:at.has(ve({dir:n},e).toLowerCase())?[`primary deliverable file must not be ${e}, which the protocol writes itself`]:V(t==="external"?e:`${n}/${e}`)?[`primary deliverable file must not have TBD, TODO or unresolved as a word: ${d(e)}; conclusion.md must name it and must not contain these words`]:[]:[`primary deliverable file ${ct}: ${d(e)}`]:["primary deliverable file must be relative and must not contain .."]:["primary deliverable file must end with .md"]}function $n(e){if(e==="")return["--deliverables-dir must not be blank"];if(!j(e))return["--deliverables-dir must be relative and must not contain .."];if(!pt(e))return[`--deliverables-dir ${ct}: ${d(e)}`];let t=e.split("/");if(t.some(W))return[`--deliverables-dir ${lt}: ${d(e)}`];let n=t.find(o=>at.has(o.toLowerCase()));return n===void 0?[]:[`--deliverables-dir must not be ${n}, a file of the protocol`]}function jn({mode:e,repoRoot:t}){return e==="internal"?t===void 0?[]:["--repo-root is only allowed when --deliverables-mode external"]:e!=="external"?["--deliverables-mode must be internal or external"]:t===void 0||t.trim()===""?["--repo-root is required when --deliverables-mode external"]:t.startsWith("/")?["--repo-root must be relative to the collaboration folder"]:k(t)!==void 0?[]:[`--repo-root must lead straight up to the repository, such as ../..: ${d(t)}`]}var at=new Set(["protocol.json","events.jsonl","README.md","proposal.md","review.md","decisions.md","readiness.md","conclusion.md",...Z].map(e=>e.toLowerCase())),lt="must not be hidden, where programs keep their own files",ct="must be made of plain names with slashes between them";function pt(e){return!/[\\:*?"<>|`\p{Cc}\p{Cs}\u2028\u2029]/u.test(e)}function dt(e){return e.length<=m.itemCharacters&&!/[\p{Cc}\p{Cs}\u2028\u2029]/u.test(e)}function ut(e){return{"README.md":Rn(e),"proposal.md":Cn(e),"decisions.md":Dn,"readiness.md":Pn(e),"conclusion.md":An()}}function h(e,t){return e.length===0?"- None.":e.map(n=>`- ${t(n)}`).join(`
`)}var De="Rules:\n- Run `next-action` to learn what is expected of you, do it, run `append-event`, then\n  `wait-for-turn`; repeat until the phase is completed or blocked.\n- Only those named in `waitingFor` may take the next step. The proposal owner edits nothing while\n  the others review.\n- Never edit `events.jsonl` or `protocol.json` by hand; a mistake is corrected by another event.\n- Run `validate` before `readiness_passed` and before `completed`.\n- `completed` names `conclusion.md`, and every completion gate is checked in `readiness.md` by then.",Pe="Give every question a line of its own that begins with a dash and one of these marks:\n- `[resolved]` and the answer.\n- `[deferred_nonblocking]`, what waits, and `Reason: ...` in the same line.\n- `[blocking]` and what has to happen first. Nobody can accept the decision while one is left.",Ae="Keep one line of the form dash, mark, reason. The mark is one of:\n- `[proceed]`: implement now.\n- `[do_not_proceed]`: do not implement.\n- `[defer]`: only after the follow-ups named below.\n- `[blocked]`: no outcome yet; it cannot be completed like this.";function Rn({objective:e,participants:t,gates:n}){return`# Agent Collaboration Workspace

Objective:
${e}

Participants:
${h(t,o=>`\`${o}\``)}

Completion Gates:
${h(n,o=>o)}

Protocol Files:
- \`protocol.json\`: the settings and where the collaboration stands.
- \`events.jsonl\`: what happened, one event a line; scripts append to it.
- \`proposal.md\`: the proposal as it stands now.
- \`review.md\`: one review for each \`review_submitted\` event, under a heading with its seq.
- \`decisions.md\`: what was accepted, nothing else.
- \`readiness.md\`: every open question with its class, the gates, and whether work can begin.
- \`conclusion.md\`: the final answer to the objective.

${De}
`}function Cn({objective:e}){return`# Proposal

## Purpose

${e}

## Current Proposal

TBD: what is proposed, complete enough that a reader of this file alone can judge it.

## Message/API Contracts

TBD: interfaces, formats and names that others will rely on; "None." if there are none.

## Operational Concerns

TBD: failure, load, migration, security, cost.

## Open Questions

- TBD: what the reviewers should answer; each goes to readiness.md later.

## Proposed Decisions

- TBD: one line for each decision that you ask the others to accept.
`}var Dn=`# Decisions

Write down what was accepted, one decision an entry. Open questions belong in readiness.md.

## Accepted Decisions

- TBD.
`;function Pn({gates:e}){return`# Readiness

The proposal owner keeps this file. Every open question is classified here before a decision.

## Open Question Classification

- [unresolved] TBD. Replace this line by one line for each open question.

${Pe}

## Blocking Issues

- None.

## Deferred Follow-ups

- None.

## Completion Gates

Put an x between the brackets once a gate is met, and leave its words as they are.

${h(e,t=>`[ ] ${t}`)}

## Final Design Document Checklist

- [ ] Accepted Decisions
- [ ] Assumptions
- [ ] Deferred Follow-ups
- [ ] Implementation Blockers
- [ ] Ready to implement
`}function An(){let[e,...t]=J(1);return`# Conclusion

The final answer to the objective, written once readiness has passed. Fill in every section; none of
the marks that stand there now may be left.

## ${e}

- [blocked] TBD

${Ae}

${t.map(n=>`## ${n}

TBD: ${Te[n]}
`).join(`
`)}`}var Te={Rationale:"why this outcome, with the arguments that settled it.","Accepted Decisions":"the decisions of decisions.md that carry the outcome.","Implementation Approach":"how it is done, step by step, or why it is not done.","Accepted Decisions Summary":"the decisions by their ids, in a line each.",Assumptions:"what was taken for true without a check.","Deferred Follow-ups":'what is left for later, with the reason; "None." if nothing is.',"Implementation Blockers":'what stops the work; "None." if nothing does.',"Next Action":"who does what first."};function ft(e,t){return{"README.md":En(e,t),"proposal.md":qn(e),"decisions.md":Jn(e,t),"readiness.md":Nn(e,t),"conclusion.md":In(e,t)}}function mt({primary:e}){let{type:t,checklist:n}=e,o=t==="custom"?n:M(t)??[];return`# ${Tn[t]??"Deliverable"}

Deliverable type: \`${t}\`
Status: Draft

<!-- Fill in every section. The status becomes In Review, and Frozen before deliverable_frozen. -->

${o.map(r=>`## ${r}
`).join(`
`)}`}var Tn={adr:"Architecture Decision Record","design-spec":"Design Spec","implementation-plan":"Implementation Plan","decision-memo":"Decision Memo","review-report":"Review Report","test-plan":"Test Plan",custom:"Custom Deliverable"};function En(e,{mode:t,dir:n,primary:o,repoRoot:r}){let{objective:s,participants:i}=e,l=t==="external"?` below the repository \`${r}\``:"";return`# ACP Collaboration Workspace

Objective:
${s}

Participants:
${h(i,u=>`\`${u}\``)}

Objective Gates:
${h(Ee(e,"objective"),u=>u)}

Primary Deliverable:
- Type: \`${o.type}\`
- Path: \`${g(e)}\`

Protocol Files:
- \`protocol.json\`: the settings (schema 2), what is delivered, and where the collaboration stands.
- \`events.jsonl\`: what happened, one event a line; scripts append to it.
- \`proposal.md\`: what is proposed and what changed since the last time.
- \`review.md\`: one review for each \`review_submitted\` event, under a heading with its seq.
- \`decisions.md\`: the accepted decisions, numbered, each with where it is reflected.
- \`readiness.md\`: every open question with its class, the gates, and the snapshot of the freeze.
- \`conclusion.md\`: the final receipt; it names the frozen deliverable.
- \`${n}/\`${l}: the deliverables themselves.

${De}
- Events about the deliverable name it exactly as above: \`--doc ${g(e)}\`.
`}function qn(e){return`# Proposal

## Purpose

${e.objective}

## Current Proposal

TBD: what is proposed, in short; the deliverable holds the whole.

## Deliverable Draft

- Primary: \`${g(e)}\`

## Review Focus

- Proposal coherence.
- Primary deliverable completeness.
- Accepted decision traceability.
- Implementation readiness.
`}function Jn(e,{primary:t}){let n=g(e),o=t.type==="custom"?t.checklist[0]:M(t.type)?.[0];return`# Decisions

Write down what was accepted, numbered without gaps. Every entry has a heading D, its number, a dot
and a title, and the lines Decision, Rationale and Reflected in; the last names the deliverable.

## Accepted Decisions

### D1. Initial deliverable declaration

- Decision: The primary deliverable of this collaboration is \`${n}\`.
- Rationale: What is decided here must stand in a document that outlives the discussion.
- Reflected in: \`${n}#${Bn(o??"")}\`
`}function Nn(e,t){let{supporting:n,attachments:o}=t,r=n.map(i=>x(t,i)),s=i=>`[ ] ${i}`;return`# Readiness

The proposal owner keeps this file. Every open question is classified here before a decision.

## Open Question Classification

- [unresolved] TBD. Replace this line by one line for each open question.

${Pe}

## Blocking Issues

- None.

## Objective Gates

Put an x between the brackets once a gate is met, and leave its words as they are.

${h(Ee(e,"objective"),s)}

## Generated Deliverable Gates

${h(Ee(e,"generated"),s)}

## Deliverable Snapshot

The hash of the frozen file, as \`deliverable_frozen\` recorded it.

- Primary: \`${g(e)}\`
- SHA-256:

## Supporting Deliverables

${h(r,i=>`\`${i}\``)}

## Attachments

${h(o,i=>`\`${i}\``)}

## Deferred Follow-ups

- None.

## Implementation Blockers

- None.

## Ready to Implement

- [ ] Ready to implement
`}function In(e,t){let[n,...o]=J(2),r={"Deliverable Receipt":_n(e,t),"Readiness Result":Mn},s=i=>r[i]??`TBD: ${Te[i]}`;return`# Conclusion

The final receipt of the collaboration; what was worked out stands in the deliverable. Fill in every
section; none of the marks that stand there now may be left.

## ${n}

- [blocked] TBD

${Ae}

${o.map(i=>`## ${i}

${s(i)}
`).join(`
`)}`}function _n(e,t){let{primary:n,supporting:o,attachments:r}=t,s=o.map(i=>`\`${x(t,i)}\``);return`- Primary: \`${g(e)}\`
- Type: \`${n.type}\`
- SHA-256: TBD
- Supporting: ${s.join(", ")||"none"}
- Attachments: ${r.map(i=>`\`${i}\``).join(", ")||"none"}`}var Mn="- Objective gates: TBD\n- Generated deliverable gates: TBD\n- Readiness file: `readiness.md`";function Ee({raw:e},t){return(Array.isArray(e.completionGates)?e.completionGates:[]).flatMap(o=>{if(typeof o!="object"||o===null||Array.isArray(o))return[];let{source:r,text:s}=o;return r===t&&typeof s=="string"?[s]:[]})}function Bn(e){return e.toLowerCase().replace(/[^\p{L}\p{N}\s-]/gu,"").trim().replace(/\s/g,"-")}function qe(e){let{deliverables:t}=e,n=t===null?ut(e):ft(e,t),r=Object.entries({...n,"review.md":zn(e)}).map(([i,l])=>({path:i,text:l,up:0}));if(t===null)return r;let{path:s}=t.primary;return[...r,{path:s,text:mt(t),up:we(t)??0}]}function gt(e){return`Context:
- Read \`proposal.md\` after event seq \`<seq>\`.
${Gn(e)}
Position:
- <accept, accept with changes, or reject; and why>

Concerns:
- <what can go wrong, with the evidence; or None.>

Required Changes:
- <what must change before you accept; or None.>

Questions:
- <what the owner must answer; or None.>
`}function Gn(e){let{deliverables:t}=e;if(t===null)return"";let o=t.supporting.map(r=>x(t,r)).map(r=>`\`${r}\``).join(", ");return`- Reviewed primary deliverable: \`${g(e)}\`
- Reviewed supporting deliverables: ${o||"none."}

Review Scope:
${h(Ln,r=>r)}
`}var Ln=["Proposal coherence","Primary deliverable completeness","Accepted decision traceability","Implementation readiness"];function zn(e){return`# Review

One review for each \`review_submitted\` event, the newest last. \`append-event\` with \`--review FILE\`
adds it here under the right heading. Whoever writes it by hand uses the seq that the event will get,
not the one that it replies to:
\`## <ISO-8601 UTC> - <participant_id> - seq <review_submitted event seq>\`

Template:

## <timestamp> - <participant_id> - seq <event seq>

${gt(e)}`}function Vn(e,t){let n=it({...e,createdAt:B(G(t))});if(n.ok)return n.raw;throw new b("REFUSED",n.reasons.join("; "))}async function Wn(e,t,n,o=!1){if($(O(e.folder,"events.jsonl"))&&!yt(e))throw new b("REFUSED",`${e.folder} has an events.jsonl without protocol.json; move it away, or choose another folder`);L(e.folder);let r=`${JSON.stringify(t,void 0,2)}
`;if(!S(vt(e),r)&&!o)throw new b("REFUSED","collaboration folder already contains protocol.json; use --resume to acknowledge it");return bt(e,t,n)}async function bt(e,t,n){let o=ht(JSON.stringify(t)),r=({text:v})=>Hn(ht(v),o),s=await se(e,"collaboration",r),i=Q(s.settings.text);if(i.fault!=="")throw new b("REFUSED",i.fault);let l=r(s.settings)?[]:[xt];S(O(e.folder,z),`{"made-by":"consulta"}
`),e.workspace===void 0&&S(O(e.folder,".gitignore"),Qn);let u=qe(i).filter(v=>!Zn(e,v));if(!$(O(e.folder,"events.jsonl")))for(let v of[P,E])ee(O(e.folder,v));let f=Kn(i,n);le(e,f.from,n);let c=await s.log.append(s.log.start,f);c!==void 0&&await ne(e,s.kind.traits.firstSeen,[f]);let R={...s,machine:s.machine.evolve(f)};return{session:c===void 0?await re(s):await ae({...R,cursor:c},f,[]),kept:[...l,...u.map(({path:v})=>v)]}}function ht(e){return{...Q(e).raw,createdAt:""}}var Qn=[".gitignore",z,".checkpoint.json",".begun-*",P,E,".additions/",".commits/",oe,".presence/"].map(e=>`/${e}
`).join("");function Kn({participants:e,schema:t},n){return{seq:1,from:e[0]??"",event:"initialized",at:B(G(n)),summary:Xn[t],doc:"protocol.json"}}var Xn={1:"Collaboration workspace initialized",2:"Initialized ACP schema v2 collaboration workspace."};function Zn({folder:e},{path:t,text:n,up:o}){let r=Un(e,...Array(o).fill(".."));return L(r,...t.split("/").slice(0,-1)),S(te(r,t),n)}function yt(e){return $(vt(e))}async function Yn(e){if(!$(O(e.folder,"events.jsonl")))return!1;try{let{cursor:t,kind:n,settings:o}=await ie(e);if(n.name!=="collaboration")throw eo(e,n.name);return t.seq>0||n.settings?.fault(o.value)!==void 0}catch(t){if(t instanceof b&&t.code!=="EXISTS")return!0;throw t}}function eo({id:e},t){let n=`session ${e} exists already and is a ${t}, no collaboration`;return new b("EXISTS",`${n}; choose another --session`)}var xt="protocol.json";function vt({folder:e}){return O(e,xt)}Object.assign(exports,{acceptanceFaults:Pt,byCodePoint:$e,checkCollaboration:Vn,collaborationOptions:Je,conclusionFaults:Gt,conclusionSections:J,deliverableEventNames:on,deliverablesFaults:N,documentsFor:qe,everyone:ln,exampleReview:gt,fault:a,finishCollaboration:bt,firstSeenFile:P,firstSeenNotes:kt,forbiddenFiles:Z,gateEvidenceFile:E,gateEvidenceLine:qt,gateFaults:he,gateLine:Ue,gateMarks:It,gateOptions:Fn,gateStatuses:ze,gatesOf:Le,guidedFiles:jt,hasFault:me,hasPlaceholder:V,hasProtocol:yt,headingsOf:Xe,initialState:rn,isBegun:Yn,isHidden:W,keysFault:nt,lacksReason:Me,named:fe,openCollaboration:Wn,others:an,outcomes:We,outcomesOf:Ke,pathInDeliverables:ve,phases:X,primaryReference:g,printOf:Ie,protocolFaults:cn,readFirstSeen:Ne,readSettings:Q,readinessFaults:At,readinessItems:ge,readyFaults:_e,referenceOf:x,reviewedDocuments:pe,sectionsOf:M,settingsFault:Yt,statusOf:Mt,termsGiven:Ft,termsOf:wt,textsOf:Ct,upOf:we});})
