import{g as e}from"./chunk-RLH3V6A7.js";function h(){return e("h1",{children:"New"})}export{h as CreatePage};
