import{g as r}from"./chunk-RLH3V6A7.js";function o(){return r("h1",{children:"Supervisors"})}export{o as SupervisorsPage};
