import{j as e}from"./chunk-6TSUKOYX.js";var n=e(Date.now());setInterval(()=>{document.hidden||(n.value=Date.now())},1e3);export{n as a};
