const {readdirSync,readFileSync}=require('fs'); const {join}=require('path');
const { temporal } = require('@temporalio/proto');
const { Worker, Runtime, DefaultLogger } = require('@temporalio/worker');
const bundle=process.argv[2]||'dist/workflow-bundle.js'; const repeats=Number(process.argv[3]||5);
Runtime.install({logger:new DefaultLogger('ERROR'), shutdownSignals:[]});
const H=temporal.api.history.v1.History;
const dir='test/workflows/order/histories';
const names=readdirSync(dir).filter(n=>n.endsWith('.json')).sort();
const hs=names.map(n=>({n,h:H.fromObject(JSON.parse(readFileSync(join(dir,n),'utf8')))}));
(async()=>{
 const codec=join(process.cwd(),'dist/src/platform/temporal/codec');
 const run=async()=>{ const c0=process.cpuUsage(); let n=0;
  for await (const r of Worker.runReplayHistories({workflowBundle:{codePath:join(process.cwd(),bundle)}, sinks:{}, dataConverter:{payloadConverterPath:join(codec,'payloads.js')}, replayName:'x'}, hs.map(({n,h},i)=>({workflowId:'order-01a00000-0000-7000-8000-'+String(i).padStart(12,'0'),history:h})))) { n++; if(r.error) console.log(String(r.error).slice(0,150)); }
  const c=process.cpuUsage(c0); return (c.user+c.system)/1000/n; };
 const first=await run(); const rest=[]; for(let i=0;i<repeats;i++) rest.push(await run());
 rest.sort((a,b)=>a-b); console.log('histories',hs.length,'first',first.toFixed(1),'median',rest[rest.length>>1].toFixed(1),'min',rest[0].toFixed(1));
 process.exit(0);
})();
